import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { revokeKey } from '../../api/admin-accounts';
import type { ApiKey } from '../../api/keys';
import { ConfirmDialog } from '../../ui/confirm-dialog';

interface RevokeKeyProps {
  apiKey: ApiKey;
  onRevoked?: () => void;
}

/** A button that ends a leaked key for good; nothing for one that has ended. */
export function RevokeKey({ apiKey: { id, name, status }, onRevoked }: RevokeKeyProps) {
  const [opened, { open, close }] = useDisclosure();
  const queryClient = useQueryClient();
  if (status === 'revoked' || status === 'deleted') return null;
  const done = () => {
    notifications.show({ message: `The key ${name} is revoked.` });
    void queryClient.invalidateQueries();
    onRevoked?.();
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        c="var(--mantine-color-error)"
        onClick={open}
        aria-label={`Revoke key ${name}`}
      >
        Revoke
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Revoke the key ${name}?`}
        confirm="Revoke key"
        dangerous
        action={() => revokeKey(id)}
        onDone={done}
      >
        <Text size="sm" ta="left">
          For a key that has leaked. It is refused from the next call on, for good: the account can’t enable
          it again and has to make a new one.
        </Text>
      </ConfirmDialog>
    </>
  );
}
