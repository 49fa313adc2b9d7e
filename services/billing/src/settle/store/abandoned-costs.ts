import { GatewayError } from '@gateway/errors';
import { type Pool, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { type Queryable, rowsOf, statement } from '../../store/statement';
import type { StatementBatch } from '../../store/statement-batch';
import type { HoldEnd } from '../rules/charge-hold';

// Losses are summed by the minute, so that a flood of abandoned calls leaves at most 61 rows per account.
// A minute counts until its last second is an hour old.
const COUNTS = `minute > billing.clock() - interval '61 minutes'`;

const ADD = statement(
  'add-abandoned-costs',
  `INSERT INTO billing.abandoned_costs AS c (account_id, minute, amount_nano)
   SELECT account_id, date_trunc('minute', billing.clock()), sum(amount_nano)
   FROM unnest($1::text[], $2::bigint[]) AS lost (account_id, amount_nano) GROUP BY account_id
   ON CONFLICT (account_id, minute) DO UPDATE SET amount_nano = c.amount_nano + excluded.amount_nano`,
);

// Summing from the newest minute back, finds the first minute at which the total exceeds the limit: the account is limited
// until that minute leaves the window. A loss that was corrected may lift the limit.
const LIMIT = statement(
  'limit-abandoning-accounts',
  `UPDATE billing.accounts a SET limited_until = over.until
   FROM unnest($1::text[]) AS ended (account_id), LATERAL (
     SELECT max(minute) + interval '61 minutes' AS until FROM (
       SELECT minute, sum(amount_nano) OVER (ORDER BY minute DESC) AS sum_nano
       FROM billing.abandoned_costs WHERE account_id = ended.account_id AND ${COUNTS}
     ) AS summed
     WHERE sum_nano > $2
   ) AS over
   WHERE a.id = ended.account_id AND a.limited_until IS DISTINCT FROM over.until`,
);

/**
 * Adds losses to those of their accounts in this hour, and limits the accounts whose losses exceed the limit. The accounts must be
 * locked.
 */
export function countLosses(
  on: StatementBatch,
  ends: readonly HoldEnd[],
  limitNano: bigint,
): Promise<unknown> {
  const accountIds = ends.map(({ hold }) => hold.accountId);
  return Promise.all([
    rowsOf(on, ADD, [accountIds, ends.map(({ lossNano }) => lossNano)]),
    rowsOf(on, LIMIT, [[...new Set(accountIds)], limitNano]),
  ]);
}

const LIMITED = statement(
  'find-limited-accounts',
  `SELECT id FROM billing.accounts WHERE limited_until > billing.clock()`,
);

/** Limits the accounts that are limited now by another limit, which may lift theirs. */
export function limitAgain(pool: Pool, limitNano: bigint): Promise<void> {
  return withTransaction(pool, async (client) => {
    const ids = (await rowsOf<{ id: string }>(client, LIMITED, [])).map(({ id }) => id);
    if (ids.length === 0) return;
    await lockAccounts(client, ids);
    await rowsOf(client, LIMIT, [ids, limitNano]);
  });
}

export interface AbandonedCostRow {
  hour_nano: bigint;
  /** Null: the account is not limited. */
  limited_until_ms: bigint | null;
}

const GET = statement(
  'get-abandoned-cost',
  `SELECT (SELECT coalesce(sum(amount_nano), 0)::bigint FROM billing.abandoned_costs
       WHERE account_id = a.id AND ${COUNTS}) AS hour_nano,
     CASE WHEN limited_until > billing.clock() THEN billing.epoch_ms(limited_until) END AS limited_until_ms
   FROM billing.accounts a WHERE a.id = $1`,
);

/** Returns the losses by an account's calls in the last hour. Throws `not_found` for an unknown account. */
export async function getAbandonedCost(on: Queryable, accountId: string): Promise<AbandonedCostRow> {
  const [row] = await rowsOf<AbandonedCostRow>(on, GET, [accountId]);
  if (!row) throw new GatewayError('not_found');
  return row;
}

const FORGET = statement(
  'forget-abandoned-costs',
  `DELETE FROM billing.abandoned_costs WHERE NOT (${COUNTS})`,
);

/** Deletes losses older than an hour. */
export async function forgetAbandonedCosts(pool: Pool): Promise<void> {
  await rowsOf(pool, FORGET, []);
}
