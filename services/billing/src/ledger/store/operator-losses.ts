import type { LossReason } from '../../settle/rules/charge-hold';
import { type Page, type PageRequest, toPage } from '../../store/page';
import { type Queryable, rowsOf, statement } from '../../store/statement';

export interface OperatorLossRow {
  seq: bigint;
  request_id: string;
  reason: LossReason;
  amount_nano: bigint;
  created_at_ms: bigint;
}

const LIST = statement(
  'list-operator-losses',
  `SELECT seq, request_id, reason, amount_nano, billing.epoch_ms(created_at) AS created_at_ms
   FROM billing.operator_losses WHERE account_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
);

/** Returns an account's operator losses, newest first. */
export async function listOperatorLosses(
  on: Queryable,
  accountId: string,
  page: PageRequest,
): Promise<Page<OperatorLossRow>> {
  return toPage(
    await rowsOf<OperatorLossRow>(on, LIST, [accountId, page.before, page.limit + 1]),
    page.limit,
  );
}
