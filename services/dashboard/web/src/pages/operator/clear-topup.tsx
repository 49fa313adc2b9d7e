import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { clearTopup } from '../../api/admin-accounts';
import type { Topup } from '../../api/billing';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { formatMoney } from '../../ui/format-money';

/** A button that says that the money of a top-up has arrived. */
export function ClearTopup({ topup: { id, amount } }: { topup: Topup }) {
  const [opened, { open, close }] = useDisclosure();
  const queryClient = useQueryClient();
  const done = () => {
    notifications.show({ message: `${formatMoney(amount)} can be spent now.` });
    void queryClient.invalidateQueries();
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        onClick={open}
        aria-label={`Clear top-up of ${formatMoney(amount)}`}
      >
        Clear
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title="Has the money arrived?"
        confirm="Clear top-up"
        action={() => clearTopup(id)}
        onDone={done}
      >
        <Text size="sm" ta="left">
          {formatMoney(amount)} will be added to the balance and can be spent from the next call on. This
          can’t be taken back, only corrected by an adjustment.
        </Text>
      </ConfirmDialog>
    </>
  );
}
