import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type NewApiKey, rotateKey } from '../../api/keys';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';

interface RotateKeyDialogProps {
  id: string;
  opened: boolean;
  onClose: () => void;
  onRotated: (made: NewApiKey) => void;
}

const GRACES = [
  { value: '0', label: 'Stops immediately' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];
const DEFAULT_GRACE = '86400';

export function RotateKeyDialog({ opened, onClose, ...rest }: RotateKeyDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rotate key" closeButtonProps={{ 'aria-label': 'Close' }}>
      <RotateForm {...rest} onClose={onClose} />
    </Modal>
  );
}

function RotateForm({ id, onClose, onRotated }: Omit<RotateKeyDialogProps, 'opened'>) {
  const [grace, setGrace] = useState(DEFAULT_GRACE);
  const rotation = useMutation({
    mutationFn: () => rotateKey(id, Number(grace)),
    onSuccess: (made) => {
      onClose();
      onRotated(made);
    },
  });
  const graceError = fieldError(rotation.error, 'grace_seconds');
  return (
    <Stack>
      <Text size="sm">
        Creates a new value for this key. Limits and usage are kept. The old value stays valid for a while, so
        that you can switch over.
      </Text>
      <Select
        label="Old value stays valid for"
        data={GRACES}
        value={grace}
        onChange={(chosen) => chosen !== null && setGrace(chosen)}
        allowDeselect={false}
        error={graceError}
        data-autofocus
      />
      {rotation.error && !graceError && <ErrorState error={rotation.error} title="Key not rotated" />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} disabled={rotation.isPending}>
          Cancel
        </Button>
        <Button loading={rotation.isPending} onClick={() => rotation.mutate()}>
          Rotate
        </Button>
      </Group>
    </Stack>
  );
}
