import { Code } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { type ApiKey, deleteKey, disableKey, type NewApiKey, regenerateKey } from '../../api/keys';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';

export type KeyQuestion = 'rotate' | 'regenerate' | 'disable' | 'delete';

interface KeyQuestionsProps {
  apiKey: ApiKey;
  asked: KeyQuestion | undefined;
  onClose: () => void;
  onRenewed: (made: NewApiKey) => void;
}

/** Confirmations of changes that affect the key's users. */
export function KeyQuestions({ apiKey: { id, name }, asked, onClose, onRenewed }: KeyQuestionsProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const reload = () => void queryClient.invalidateQueries({ queryKey: ['keys'] });
  const renewed = (made: NewApiKey) => {
    onRenewed(made);
    reload();
  };
  const deleted = () => {
    notifications.show({ message: `${name} is deleted.` });
    void navigate('/keys');
    // The deleted key, still on the page for a moment, must not be refetched.
    void queryClient.invalidateQueries({ queryKey: ['keys'], refetchType: 'none' });
  };
  const disabled = () => {
    notifications.show({ message: `${name} is disabled.` });
    reload();
  };
  const common = { onClose, dangerous: true };
  return (
    <>
      <RotateKeyDialog id={id} opened={asked === 'rotate'} onClose={onClose} onRotated={renewed} />
      <ConfirmDialog
        {...common}
        opened={asked === 'regenerate'}
        title={`Regenerate ${name}?`}
        confirm="Regenerate"
        action={async () => renewed(await regenerateKey(id))}
      >
        All current values of this key stop working immediately. Requests with them return{' '}
        <Code>invalid_api_key</Code> until they use the new value.
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={asked === 'disable'}
        title={`Disable ${name}?`}
        confirm="Disable"
        action={() => disableKey(id)}
        onDone={disabled}
      >
        Requests with it return <Code>invalid_api_key</Code>. In-flight requests complete. You can enable it
        again.
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={asked === 'delete'}
        title={`Delete ${name}?`}
        confirm="Delete"
        action={() => deleteKey(id)}
        onDone={deleted}
      >
        This can’t be undone. Requests with this key return <Code>invalid_api_key</Code>.
      </ConfirmDialog>
    </>
  );
}
