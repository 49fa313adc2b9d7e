import { type Queryable, rowsOf, statement } from '../../store/statement';
import { IS_RUNNING, RECORD_COLUMNS, type RequestRow } from './request-records';

/** Finds a request of any account. One with a login token has a user, and no account and no key. */
export type AnyRequestRow = RequestRow & { readonly user_id: string };

const NO_USAGE = `0::bigint AS charged_nano, 0::bigint AS input_tokens, 0::bigint AS cache_read_tokens,
  0::bigint AS cache_write_tokens, 0::bigint AS output_tokens, 0::bigint AS reasoning_tokens, 0::bigint AS images,
  0::bigint AS video_ms, false AS streamed, 0::bigint AS admitted_ms, 0::bigint AS first_byte_ms`;

// In order of precision: the record of a call, its hold while it has no record, the access log of edge.
const FIND = statement(
  'find-any-request',
  `SELECT ${RECORD_COLUMNS}, '' AS user_id, 1 AS rank FROM billing.usage_records WHERE request_id = $1
   UNION ALL
   SELECT request_id, account_id, key_id, model, endpoint, '' AS provider, 0 AS status, '' AS error_code,
     ${NO_USAGE}, 0::bigint AS started_at_ms, 0::bigint AS ended_at_ms, task_id, ${IS_RUNNING} AS in_progress,
     CASE WHEN ${IS_RUNNING} THEN amount_nano ELSE 0 END AS held_nano, NULL::bigint AS provider_cost_nano,
     NULL AS requested_model, NULL::jsonb AS units, '' AS user_id, 2 AS rank
   FROM billing.holds WHERE request_id = $1
   UNION ALL
   SELECT request_id, account_id, key_id, '' AS model, path AS endpoint, '' AS provider, status, error_code,
     ${NO_USAGE}, billing.epoch_ms(started_at), billing.epoch_ms(ended_at), '' AS task_id, false AS in_progress,
     0::bigint AS held_nano, NULL::bigint AS provider_cost_nano, NULL AS requested_model, NULL::jsonb AS units, user_id, 3 AS rank
   FROM billing.access_log WHERE request_id = $1
   ORDER BY rank LIMIT 1`,
);

export async function findAnyRequest(on: Queryable, id: string): Promise<AnyRequestRow | undefined> {
  const [row] = await rowsOf<AnyRequestRow>(on, FIND, [id]);
  return row;
}
