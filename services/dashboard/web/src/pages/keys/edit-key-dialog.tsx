import { Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, updateKey } from '../../api/keys';
import { useMay } from '../../api/use-me';
import { KeyForm } from './key-form';
import { formValuesOf, type KeyFormValues, toKeyChange } from './key-form-values';

interface EditKeyDialogProps {
  apiKey: ApiKey;
  opened: boolean;
  onClose: () => void;
}

export function EditKeyDialog({ apiKey, opened, onClose }: EditKeyDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Edit key"
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <EditKeyForm apiKey={apiKey} onClose={onClose} />
    </Modal>
  );
}

function EditKeyForm({ apiKey, onClose }: Omit<EditKeyDialogProps, 'opened'>) {
  const queryClient = useQueryClient();
  // The key when the dialog was opened: it may be reloaded meanwhile.
  const [initial] = useState(() => formValuesOf(apiKey));
  const change = useMutation({
    mutationFn: ({ before, after }: { before: KeyFormValues; after: KeyFormValues }) =>
      updateKey(apiKey.id, toKeyChange(before, after)),
    onSuccess: (changed) => {
      queryClient.setQueryData(['keys', 'one', apiKey.id], changed);
      void queryClient.invalidateQueries({ queryKey: ['keys'] });
      notifications.show({ message: 'Key updated. Changes apply from the next request.' });
      onClose();
    },
  });
  const isOwner = useMay('owner');
  return (
    <KeyForm
      initial={initial}
      locked={isOwner ? [] : apiKey.owner_limits}
      submitLabel="Save"
      failTitle="Key not saved"
      isPending={change.isPending}
      error={change.error}
      onSubmit={(after) => change.mutate({ before: initial, after })}
      onCancel={onClose}
    />
  );
}
