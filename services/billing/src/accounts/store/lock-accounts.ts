import type { AccountFigures } from '../../reserve/rules/admission';
import { type Queryable, rowsOf, statement } from '../../store/statement';

interface AccountRow {
  id: string;
  status: string;
  balance_nano: bigint;
  held_nano: bigint;
  daily_limit_nano: bigint | null;
  when_short: 'lower' | 'refuse';
  limited_until_ms: bigint | null;
  bare_model_names: boolean;
}

const SELECT = `SELECT id, status, balance_nano, held_nano, daily_limit_nano, when_short, bare_model_names,
  billing.epoch_ms(limited_until) AS limited_until_ms FROM billing.accounts`;

// Usually there is only one, which needs no list and no sort.
const LOCK_ONE = statement('lock-account', `${SELECT} WHERE id = $1 FOR NO KEY UPDATE`);

const LOCK = statement('lock-accounts', `${SELECT} WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`);

/**
 * Locks accounts, in the order of their ids, until the transaction ends. It must be the transaction's first lock and is called
 * once. Read the accounts' data in later statements: only their snapshot is certain to be newer than the lock.
 */
export async function lockAccounts(
  on: Queryable,
  ids: Iterable<string>,
): Promise<Map<string, AccountFigures>> {
  const all = [...new Set(ids)];
  const rows =
    all.length === 1
      ? await rowsOf<AccountRow>(on, LOCK_ONE, all)
      : await rowsOf<AccountRow>(on, LOCK, [all]);
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

const fromRow = (row: AccountRow): AccountFigures => ({
  id: row.id,
  active: row.status === 'active',
  balanceNano: row.balance_nano,
  heldNano: row.held_nano,
  dailyLimitNano: row.daily_limit_nano,
  today: { usedNano: 0n, heldNano: 0n },
  insufficientFundsPolicy: row.when_short,
  limitedUntilMs: Number(row.limited_until_ms ?? 0n),
  bareModelNames: row.bare_model_names,
});
