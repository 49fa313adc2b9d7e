import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import {
  COMMON_MODEL,
  DAYS,
  KEYS,
  MODELS,
  OLD_KEY,
  OLD_MODEL,
  OWN_RECORDS,
  PROVIDER,
  RARE_KEY,
  RARE_RECORDS,
  RECORDS,
  SMALL_RECORDS,
} from './record-set';

const DAY_MS = 86_400_000;
const BATCH = 50_000;
const STATEMENT_TIMEOUT_MS = 300_000;

export interface Fill {
  readonly databaseUrl: string;
  readonly accountId: string;
  /** `KEYS` keys, then the rare key and the old key. */
  readonly keyIds: readonly string[];
  /** One of the accounts with a thousandth of the rows. */
  readonly smallAccountId: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** Sums of the inserted records of the large account. */
export interface FilledSums {
  readonly calls: number;
  readonly errors: number;
}

/** Inserts a month of records of many accounts, as settlements and refusals would have done, and returns their sums. */
export async function fillRecords({ databaseUrl, signal, progress, ...fill }: Fill): Promise<FilledSums> {
  const log = createLogger('bench', 'silent');
  const pool = createPool({
    url: databaseUrl,
    log,
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const firstMs = fill.nowMs - DAYS * DAY_MS;
    await createPartitions(pool, firstMs, fill.nowMs);
    for (let from = 0; from < RECORDS; from += BATCH) {
      signal.throwIfAborted();
      progress(
        `inserting ${(from + BATCH).toLocaleString('en')} of ${RECORDS.toLocaleString('en')} requests`,
      );
      await pool.query(INSERT, [
        firstMs,
        Math.floor((DAYS * DAY_MS) / RECORDS),
        from,
        from + BATCH - 1,
        fill.accountId,
        fill.smallAccountId,
        fill.keyIds,
      ]);
    }
    await pool.query(SUM_UP, [PROVIDER]);
    // Autovacuum would have done this over a month.
    for (const table of ['usage_records', 'usage_days'])
      await pool.query(`VACUUM (ANALYZE) billing.${table}`);
    return await sumsOf(pool, fill.accountId);
  } finally {
    await pool.end();
  }
}

async function sumsOf(pool: Pool, accountId: string): Promise<FilledSums> {
  const { rows } = await pool.query<{ calls: bigint; errors: bigint }>(
    `SELECT count(*) AS calls, count(*) FILTER (WHERE error_code <> '') AS errors
     FROM billing.usage_records WHERE account_id = $1 AND provider = $2`,
    [accountId, PROVIDER],
  );
  return { calls: Number(rows[0]?.calls), errors: Number(rows[0]?.errors) };
}

/** Creates the partitions of past months; billing creates those of this month and the next. */
async function createPartitions(pool: Pool, fromMs: number, toMs: number): Promise<void> {
  const month = (timeMs: number, ahead = 0) => {
    const at = new Date(timeMs);
    return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead, 1));
  };
  for (let start = month(fromMs); start.getTime() <= toMs; start = month(start.getTime(), 1)) {
    const name = `billing.usage_records_${start.toISOString().slice(0, 7).replace('-', '_')}`;
    await pool.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF billing.usage_records
       FOR VALUES FROM ('${idFloor(start)}') TO ('${idFloor(month(start.getTime(), 1))}')`,
    );
  }
}

function idFloor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns SQL for a pseudo-random number in [0, 1) that is the same for a row in every run. */
const unit = (seed: number) => `(hashint8extended(n, ${seed}) & 1048575)::float8 / 1048576`;
const OTHER_ACCOUNTS = (RECORDS - OWN_RECORDS) / SMALL_RECORDS;
const OLD_ROWS = RECORDS / 2_000;

// By n: every second row belongs to the large account, the others to the small accounts in turn. In order of time.
const INSERT = `
  WITH numbered AS (
    SELECT n, $1::bigint + n * $2::bigint AS at_ms, n % 2 = 0 AS own, n < ${OLD_ROWS} AS old,
      n % 2 = 0 AND n % ${RECORDS / RARE_RECORDS} = ${RECORDS / RARE_RECORDS / 2} AS rare,
      floor(${KEYS} * power(${unit(1)}, 3))::int AS key_number, ${unit(2)} AS model_draw, ${unit(3)} AS outcome_draw, ${unit(4)} AS size_draw
    FROM generate_series($3::bigint, $4::bigint) AS n
  ), called AS (
    SELECT *,
      CASE WHEN own THEN $5::text WHEN n / 2 % ${OTHER_ACCOUNTS} = 0 THEN $6::text
        ELSE 'acct_bench_' || n / 2 % ${OTHER_ACCOUNTS} END AS account_id,
      CASE WHEN NOT own THEN 'key_' || n / 2 % ${OTHER_ACCOUNTS} || '_' || key_number % 3
        ELSE ($7::text[])[1 + CASE WHEN old THEN ${OLD_KEY} WHEN rare THEN ${RARE_KEY} ELSE key_number END]
      END AS key_id,
      CASE WHEN own AND old THEN '${OLD_MODEL}' WHEN key_number > 0 AND model_draw > 0.7 THEN '${COMMON_MODEL}'
        ELSE 'bench/model-' || (key_number * 7 + floor(8 * power(model_draw, 2))::int) % ${MODELS} END AS model
    FROM numbered
  ), ended AS (
    SELECT *,
      CASE WHEN own AND old THEN 'image_generation_timeout' WHEN key_number = 0 OR rare THEN ''
        WHEN outcome_draw < 0.04 THEN 'rpm_rate_limited' WHEN outcome_draw < 0.05 THEN 'insufficient_balance'
        WHEN outcome_draw < 0.051 THEN 'model_not_found'
        WHEN outcome_draw < 0.06 AND model <> '${COMMON_MODEL}' THEN 'upstream_failed' ELSE '' END AS error_code
    FROM called
  )
  INSERT INTO billing.usage_records (request_id, account_id, key_id, model, endpoint, provider, outcome, status,
    error_code, price_version, cost_nano, charged_nano, input_tokens, cache_read_tokens, cache_write_tokens,
    output_tokens, reasoning_tokens, usage_source, streamed, first_byte_ms, started_at, ended_at, admitted_ms,
    recorded_at)
  SELECT
    (lpad(to_hex(at_ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
    account_id, key_id, model, '/v1/chat/completions', '${PROVIDER}',
    CASE WHEN error_code = '' THEN 'settled'
      WHEN error_code IN ('upstream_failed', 'image_generation_timeout') THEN 'released' ELSE 'refused' END,
    CASE error_code WHEN '' THEN CASE WHEN outcome_draw > 0.998 THEN 499 ELSE 200 END WHEN 'rpm_rate_limited' THEN 429
      WHEN 'insufficient_balance' THEN 402 WHEN 'model_not_found' THEN 404 WHEN 'upstream_failed' THEN 502
      ELSE 504 END,
    error_code, 1, paid, paid, CASE WHEN paid > 0 THEN paid / 100 ELSE 0 END, 0, 0,
    CASE WHEN paid > 0 THEN paid / 1000 ELSE 0 END, 0, 'provider', n % 3 = 0, CASE WHEN paid > 0 THEN 300 ELSE 0 END,
    at, at + interval '2 seconds', 4, at + interval '2 seconds'
  FROM ended, LATERAL (SELECT to_timestamp(at_ms / 1000.0) AS at,
    CASE WHEN error_code = '' THEN floor(1e6 * size_draw)::bigint ELSE 0 END AS paid) AS figures`;

// In order of days, as billing would have written them.
const SUM_UP = `
  INSERT INTO billing.usage_days (account_id, day, key_id, model, calls, errors, input_tokens, output_tokens, images,
    video_ms, charged_nano)
  SELECT account_id, billing.utc_day(started_at), key_id,
    CASE WHEN error_code = 'model_not_found' THEN '' ELSE model END,
    count(*), count(*) FILTER (WHERE error_code <> ''), sum(input_tokens), sum(output_tokens), 0, 0, sum(charged_nano)
  FROM billing.usage_records WHERE provider = $1 GROUP BY 1, 2, 3, 4 ORDER BY 2`;
