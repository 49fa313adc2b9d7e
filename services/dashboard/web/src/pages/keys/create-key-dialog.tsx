import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createKey, type NewApiKey } from '../../api/keys';
import { KeyForm } from './key-form';
import { type KeyFormValues, NEW_KEY, toKeyInput } from './key-form-values';

interface CreateKeyDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (made: NewApiKey) => void;
}

export function CreateKeyDialog({ opened, onClose, onCreated }: CreateKeyDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Create a key"
      size="lg"
      // A click outside must not discard the input.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <NewKeyForm onClose={onClose} onCreated={onCreated} />
    </Modal>
  );
}

function NewKeyForm({ onClose, onCreated }: Omit<CreateKeyDialogProps, 'opened'>) {
  const queryClient = useQueryClient();
  const creation = useMutation({
    mutationFn: (values: KeyFormValues) => createKey(toKeyInput(values)),
    onSuccess: (made) => {
      onClose();
      onCreated(made);
      void queryClient.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  return (
    <KeyForm
      initial={NEW_KEY}
      submitLabel="Create key"
      failTitle="Key not created"
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={(values) => creation.mutate(values)}
      onCancel={onClose}
    />
  );
}
