import { Text } from '@mantine/core';
import { clearTopup } from '../../../api/admin-accounts';
import type { Topup } from '../../../api/billing';
import { ConfirmButton } from '../../../ui/confirm-button';
import { formatMoney } from '../../../ui/format-money';

/** A button that confirms that a top-up's payment has arrived. */
export function ClearTopup({ topup: { id, amount } }: { topup: Topup }) {
  return (
    <ConfirmButton
      inRow
      label="Clear"
      fullLabel={`Clear top-up of ${formatMoney(amount)}`}
      title="Has the payment arrived?"
      confirm="Clear top-up"
      action={() => clearTopup(id)}
      done={`${formatMoney(amount)} can be spent now.`}
    >
      <Text size="sm" ta="left">
        {formatMoney(amount)} will be added to the balance and can be spent immediately. This can’t be undone,
        only corrected by an adjustment.
      </Text>
    </ConfirmButton>
  );
}
