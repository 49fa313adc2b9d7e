import { type Pool, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { rowsOf, statement } from '../../store/statement';
import type { KeyHistory } from '../rules/rate-history';

const FIND_ACCOUNTS = statement(
  'find-accounts-of-keys',
  'SELECT DISTINCT account_id FROM billing.keys WHERE id = ANY($1::text[])',
);

const BEGIN_GENERATION = statement(
  'begin-rate-generation',
  `UPDATE billing.keys SET rates_generation = rates_generation + 1 WHERE id = ANY($1::text[])
   RETURNING id, rates_generation AS generation`,
);

// Uses the clock of created_at, which tests do not change.
const READ = statement(
  'read-rate-history',
  `SELECT key_id, greatest(0, floor(extract(epoch FROM clock_timestamp() - created_at) * 2))::bigint * 500 AS age_ms,
     count(*) AS requests, sum(tokens)::bigint AS tokens
   FROM (
     SELECT key_id, created_at, tokens FROM billing.holds
     WHERE key_id = ANY($1::text[]) AND tokens IS NOT NULL
       AND created_at > clock_timestamp() - interval '61 seconds'
     UNION ALL
     SELECT key_id, created_at, 0 FROM billing.free_calls
     WHERE key_id = ANY($1::text[]) AND created_at > clock_timestamp() - interval '61 seconds'
   ) calls
   GROUP BY key_id, age_ms`,
);

/**
 * Begins a new generation of the keys' rates. Takes the lock under which calls are admitted: a call is either included here
 * or finds the new generation and takes its rates again.
 */
export function loadRecentUsage(pool: Pool, keyIds: readonly string[]): Promise<KeyHistory[]> {
  return withTransaction(pool, async (client) => {
    const owners = await rowsOf<{ account_id: string }>(client, FIND_ACCOUNTS, [keyIds]);
    await lockAccounts(
      client,
      owners.map((row) => row.account_id),
    );
    const keys = await rowsOf<{ id: string; generation: bigint }>(client, BEGIN_GENERATION, [keyIds]);
    const rows = await rowsOf<{ key_id: string; age_ms: bigint; requests: bigint; tokens: bigint }>(
      client,
      READ,
      [keyIds],
    );
    const byKey = Map.groupBy(rows, (row) => row.key_id);
    return keys.map(({ id, generation }) => ({
      keyId: id,
      generation,
      entries: (byKey.get(id) ?? []).map(({ age_ms, requests, tokens }) => ({
        ageMs: Number(age_ms),
        requests,
        tokens,
      })),
    }));
  });
}
