import type { PoolClient } from '@gateway/runtime';
import type { AccountFigures } from '../domain/admission';
import { rowsOf, statement } from './statement';

interface AccountRow {
  id: string;
  status: string;
  balance_nano: bigint;
  held_nano: bigint;
  daily_limit_nano: bigint | null;
  when_short: 'lower' | 'refuse';
}

const LOCK = statement(
  'lock-accounts',
  `SELECT id, status, balance_nano, held_nano, daily_limit_nano, when_short
   FROM billing.accounts WHERE id = ANY($1::text[])
   ORDER BY id FOR NO KEY UPDATE`,
);

/**
 * Locks accounts, in the order of their ids, until the transaction ends. It must be the transaction's first
 * lock and its only call. What belongs to the accounts is to be read by later statements: theirs is the
 * first view of the data that is sure to be younger than the lock.
 */
export async function lockAccounts(
  client: PoolClient,
  ids: Iterable<string>,
): Promise<Map<string, AccountFigures>> {
  const rows = await rowsOf<AccountRow>(client, LOCK, [[...new Set(ids)]]);
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

const fromRow = (row: AccountRow): AccountFigures => ({
  id: row.id,
  active: row.status === 'active',
  balanceNano: row.balance_nano,
  heldNano: row.held_nano,
  dailyLimitNano: row.daily_limit_nano,
  usedTodayNano: 0n,
  whenShort: row.when_short,
});
