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

/** What is asked before a key is changed in a way that its callers notice. */
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
    // The key itself, still on the page for a moment, is not to be asked for again.
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
        Every value that the key has now ends at once: programs that use it are refused with{' '}
        <Code>invalid_api_key</Code> until they have the new one.
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={asked === 'disable'}
        title={`Disable ${name}?`}
        confirm="Disable"
        action={() => disableKey(id)}
        onDone={disabled}
      >
        Calls with it are refused with <Code>invalid_api_key</Code>; those under way go on to their end. You
        can enable it again.
      </ConfirmDialog>
      <ConfirmDialog
        {...common}
        opened={asked === 'delete'}
        title={`Delete ${name}?`}
        confirm="Delete"
        action={() => deleteKey(id)}
        onDone={deleted}
      >
        The key can’t be brought back. Programs that use it are refused with <Code>invalid_api_key</Code>.
      </ConfirmDialog>
    </>
  );
}
