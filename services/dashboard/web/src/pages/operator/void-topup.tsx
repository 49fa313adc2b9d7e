import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { voidTopup } from '../../api/admin-accounts';
import type { Topup } from '../../api/billing';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { formatMoney } from '../../ui/format-money';

/** A button that takes back a top-up whose money will not come. */
export function VoidTopup({ topup: { id, amount, reference } }: { topup: Topup }) {
  const [opened, { open, close }] = useDisclosure();
  const queryClient = useQueryClient();
  const done = () => {
    notifications.show({ message: `The top-up of ${formatMoney(amount)} is voided.` });
    void queryClient.invalidateQueries();
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        c="var(--mantine-color-error)"
        onClick={open}
        aria-label={`Void top-up of ${formatMoney(amount)}`}
      >
        Void
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Void the top-up of ${formatMoney(amount)}?`}
        confirm="Void top-up"
        dangerous
        action={() => voidTopup(id)}
        onDone={done}
      >
        <Text size="sm" ta="left">
          {reference !== null && `It is noted as “${reference}”. `}For one that was a mistake, or whose money
          will not come. It can’t be cleared any more; the account goes on seeing it as voided.
        </Text>
      </ConfirmDialog>
    </>
  );
}
