import type { Pool } from '@gateway/postgres';
import { uuidFloor } from '../../reserve/rules/request-id';
import { arrayLiteral } from '../../store/array-literal';
import { rowsOf, statement } from '../../store/statement';

export interface AccessLogEntry {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly userId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly errorCode: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

const APPEND = statement(
  'append-access-log',
  `INSERT INTO billing.access_log (request_id, account_id, key_id, user_id, method, path, status, error_code,
     started_at, ended_at)
   SELECT request_id, account_id, key_id, user_id, method, path, status, error_code,
     to_timestamp(started_ms / 1000.0), to_timestamp(ended_ms / 1000.0)
   FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[],
     $9::bigint[], $10::bigint[])
     AS e (request_id, account_id, key_id, user_id, method, path, status, error_code, started_ms, ended_ms)
   ON CONFLICT (request_id) DO NOTHING`,
);

/** Stores each entry once, however often it is sent. */
export async function appendAccessLog(pool: Pool, entries: readonly AccessLogEntry[]): Promise<void> {
  const column = (name: keyof AccessLogEntry) => arrayLiteral(entries.map((entry) => entry[name]));
  await rowsOf(pool, APPEND, [
    column('requestId'),
    column('accountId'),
    column('keyId'),
    column('userId'),
    column('method'),
    column('path'),
    column('status'),
    column('errorCode'),
    column('startedAtMs'),
    column('endedAtMs'),
  ]);
}

const SWEEP_ROWS = 10_000;
const FORGET = statement(
  'forget-access-log',
  `DELETE FROM billing.access_log WHERE request_id IN (
     SELECT request_id FROM billing.access_log WHERE request_id < $1 ORDER BY request_id LIMIT ${SWEEP_ROWS})
   RETURNING request_id`,
);

/** Deletes entries older than the retention, some thousands in one statement. */
export async function forgetAccessLog(pool: Pool, retentionMs: number, nowMs: number): Promise<void> {
  const before = uuidFloor(new Date(nowMs - retentionMs));
  while ((await rowsOf(pool, FORGET, [before])).length === SWEEP_ROWS);
}
