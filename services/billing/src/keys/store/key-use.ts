import { GatewayError } from '@gateway/errors';
import { usedNano } from '../../reserve/store/used-nano';
import { type Queryable, rowsOf, statement } from '../../store/statement';

export interface KeyUseRow {
  day_nano: bigint;
  month_nano: bigint;
  account_day_nano: bigint;
  /** It has rate limits. */
  is_rate_limited: boolean;
  minute_requests: bigint;
  minute_tokens: bigint;
  now_ms: bigint;
}

// Computes the rates from rows, so that looking at a key needs no Redis and changes nothing there. Uses the clock of created_at,
// which tests do not change.
const GET = statement(
  'get-key-use',
  `SELECT ${usedNano('key_day', 'k.id', 't.day')} AS day_nano,
     ${usedNano('key_month', 'k.id', 'billing.month_of(t.day)')} AS month_nano,
     ${usedNano('account_day', 'k.account_id', 't.day')} AS account_day_nano,
     k.rpm_limit IS NOT NULL OR k.tpm_limit IS NOT NULL AS is_rate_limited,
     paid.calls + free.calls AS minute_requests, paid.tokens AS minute_tokens,
     billing.epoch_ms(billing.clock()) AS now_ms
   FROM billing.keys k
   CROSS JOIN (SELECT billing.utc_day(billing.clock()) AS day) t
   CROSS JOIN LATERAL (
     SELECT count(*) AS calls, coalesce(sum(tokens), 0)::bigint AS tokens FROM billing.holds
     WHERE key_id = k.id AND tokens IS NOT NULL AND created_at > clock_timestamp() - interval '60 seconds') paid
   CROSS JOIN LATERAL (
     SELECT count(*) AS calls FROM billing.free_calls
     WHERE key_id = k.id AND created_at > clock_timestamp() - interval '60 seconds') free
   WHERE k.id = $1 AND k.account_id = $2 AND k.status <> 'deleted'`,
);

/** Throws the same `not_found` for an unknown, a deleted and another account's key. */
export async function getKeyUse(on: Queryable, accountId: string, id: string): Promise<KeyUseRow> {
  const [row] = await rowsOf<KeyUseRow>(on, GET, [id, accountId]);
  if (!row) throw new GatewayError('not_found');
  return row;
}
