import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { Ban, Play } from 'lucide-react';
import { type Account, suspendAccount } from '../../api/admin-accounts';
import { ConfirmDialog } from '../../ui/confirm-dialog';

/** Stops an account, or lets it go on. */
export function SuspendAccount({ account: { id, name, status } }: { account: Account }) {
  const [opened, { open, close }] = useDisclosure();
  const queryClient = useQueryClient();
  const isSuspended = status === 'suspended';
  const done = () => {
    notifications.show({ message: isSuspended ? `${name} can call again.` : `${name} is suspended.` });
    void queryClient.invalidateQueries();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={isSuspended ? <Play size={16} aria-hidden /> : <Ban size={16} aria-hidden />}
        onClick={open}
      >
        {isSuspended ? 'Resume' : 'Suspend'}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={isSuspended ? `Let ${name} go on?` : `Suspend ${name}?`}
        confirm={isSuspended ? 'Resume account' : 'Suspend account'}
        dangerous={!isSuspended}
        action={() => suspendAccount(id, !isSuspended)}
        onDone={done}
      >
        <Text size="sm">
          {isSuspended
            ? 'Its keys work again at once. Its balance and limits are as they were.'
            : 'All its keys are refused from the next call on; calls under way end as usual and are paid. Its members can still log in. You can let it go on at any time.'}
        </Text>
      </ConfirmDialog>
    </>
  );
}
