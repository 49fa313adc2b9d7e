import type { HoldEnd } from '../../settle/rules/charge-hold';
import { type Queryable, rowsOf, statement } from '../../store/statement';

const INSERT = statement(
  'insert-charges',
  `INSERT INTO billing.ledger (account_id, kind, amount_nano, reference, task_id)
   SELECT account_id, 'charge', -charged_nano, request_id, task_id
   FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS e (request_id, account_id, charged_nano, task_id)`,
);

/** Inserts a ledger entry for the charge of each ended hold. */
export const insertCharges = (on: Queryable, ends: readonly HoldEnd[]): Promise<unknown> =>
  rowsOf(on, INSERT, [
    ends.map(({ hold }) => hold.requestId),
    ends.map(({ hold }) => hold.accountId),
    ends.map(({ chargedNano }) => chargedNano),
    ends.map(({ taskId }) => taskId),
  ]);
