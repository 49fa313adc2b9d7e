import { type MoneyChange, sumMoney } from '../../reserve/rules/money-change';
import { rowsOf, statement } from '../../store/statement';
import type { StatementBatch } from '../../store/statement-batch';

const UPDATE_ACCOUNTS = statement(
  'update-account-money',
  `UPDATE billing.accounts a
   SET balance_nano = a.balance_nano - c.settled_nano, held_nano = a.held_nano + c.held_nano
   FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS c (account_id, held_nano, settled_nano)
   WHERE a.id = c.account_id`,
);

const MERGE_WINDOWS = statement(
  'merge-spend-windows',
  `MERGE INTO billing.spend_windows w
   USING unnest($1::text[], $2::text[], $3::date[], $4::text[], $5::bigint[], $6::bigint[])
     AS c (kind, subject_id, starts_on, account_id, held_nano, settled_nano)
   ON w.kind = c.kind AND w.subject_id = c.subject_id AND w.starts_on = c.starts_on
   WHEN MATCHED THEN
     UPDATE SET held_nano = w.held_nano + c.held_nano, settled_nano = w.settled_nano + c.settled_nano
   WHEN NOT MATCHED THEN
     INSERT (kind, subject_id, starts_on, account_id, held_nano, settled_nano)
     VALUES (c.kind, c.subject_id, c.starts_on, c.account_id, c.held_nano, c.settled_nano)`,
);

/**
 * Applies changes to accounts and their windows. The accounts must be locked: two concurrent MERGEs could insert a window
 * twice. `ON CONFLICT` would reject a release, as a window with a negative held amount.
 */
export function applyMoneyChanges(on: StatementBatch, changes: readonly MoneyChange[]): Promise<unknown> {
  const { accounts, windows } = sumMoney(changes);
  return Promise.all([
    rowsOf(on, UPDATE_ACCOUNTS, [
      accounts.map((sum) => sum.accountId),
      accounts.map((sum) => sum.heldNano),
      accounts.map((sum) => sum.settledNano),
    ]),
    rowsOf(on, MERGE_WINDOWS, [
      windows.map((sum) => sum.kind),
      windows.map((sum) => sum.subjectId),
      windows.map((sum) => sum.startsOn),
      windows.map((sum) => sum.accountId),
      windows.map((sum) => sum.heldNano),
      windows.map((sum) => sum.settledNano),
    ]),
  ]);
}
