import { Text } from '@mantine/core';
import { voidTopup } from '../../../api/admin-accounts';
import type { Topup } from '../../../api/billing';
import { ConfirmButton } from '../../../ui/confirm-button';
import { formatMoney } from '../../../ui/format-money';

/** A button that voids a top-up whose payment will not arrive. */
export function VoidTopup({ topup: { id, amount, reference } }: { topup: Topup }) {
  return (
    <ConfirmButton
      inRow
      dangerous
      label="Void"
      fullLabel={`Void top-up of ${formatMoney(amount)}`}
      title={`Void the top-up of ${formatMoney(amount)}?`}
      confirm="Void top-up"
      action={() => voidTopup(id)}
      done={`The top-up of ${formatMoney(amount)} is voided.`}
    >
      <Text size="sm" ta="left">
        {reference !== null && `Its reference is “${reference}”. `}For a top-up made by mistake or without
        payment. It can’t be cleared afterwards, and stays visible as voided.
      </Text>
    </ConfirmButton>
  );
}
