import { GatewayError } from '@gateway/errors';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import { type KeyEncryptionKeys, openBytes, sealBytes } from '@gateway/secrets';
import { LEASE_SECONDS } from '../../calls/rules/lease-seconds';
import { type ContentReader, mayRead, readerValues } from '../../domain/content-reader';
import { BATCH_OUTPUT_PURPOSE } from '../../files/store/files';
import type { Batch, BatchFormat, BatchProblem, BatchStatus, CallUsage } from '../rules/batch';
import type { BatchPageRequest } from '../rules/batch-page';
import type { CallResult } from '../rules/call-result';

export interface NewBatch {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly format: BatchFormat;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly outputSeconds?: number;
  /** Of an input that has been validated; absent: it has not been. */
  readonly total?: number;
}

/** A call of a batch that has been sent. */
export interface SentCall {
  readonly line: number;
  readonly requestId: string;
  readonly isAnswered: boolean;
}

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly format: BatchFormat;
  readonly endpoint: string;
  readonly input_file_id: string;
  readonly sealed_metadata: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly output_seconds: number | null;
  readonly status: BatchStatus;
  readonly problems: readonly BatchProblem[] | null;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly input_tokens: bigint;
  readonly cached_tokens: bigint;
  readonly output_tokens: bigint;
  readonly reasoning_tokens: bigint;
  readonly cost_nano: bigint;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly cancelling_at: Date | null;
  readonly finalizing_at: Date | null;
  readonly ended_at: Date | null;
  readonly deadline_at: Date;
}

const WINDOW_HOURS = 24;
/** Of an account. */
const MAX_OPEN = 100;
/** Sealed results that are in memory at a time, and one more. */
const RESULT_PAGE_BYTES = 8 * 1024 ** 2;
const RESULT_PAGE = 500;
/** Rows, of up to some MiB each, that one statement deletes. */
const CLEARED_CALLS = 100;

const USAGE_SUMS = `coalesce(sum(input_tokens), 0)::bigint AS input_tokens, coalesce(sum(cached_tokens), 0)::bigint AS cached_tokens,
  coalesce(sum(output_tokens), 0)::bigint AS output_tokens, coalesce(sum(reasoning_tokens), 0)::bigint AS reasoning_tokens,
  coalesce(sum(cost_nano), 0)::bigint AS cost_nano`;
/** The batch is this process's: also after its lease, until another process has claimed it. */
const IS_OWN = 'id = $1 AND runner = $2 AND ended_at IS NULL';

/** Cancelled or overdue: no call of it is sent any more. */
const IS_TO_END = '(cancelling_at IS NOT NULL OR deadline_at <= now())';

export interface BatchBounds {
  readonly retentionDays: number;
  /** Batches of an account, until they expire. */
  readonly maxAccountBatches: number;
  /** Results of an account's batches, until they expire or are deleted: with as many, no further batch is created. */
  readonly maxAccountResultBytes: number;
}

/** The batches; expired ones do not exist. */
export class Batches {
  readonly #pool: Pool;
  readonly #keys: KeyEncryptionKeys;
  readonly #bounds: BatchBounds;

  constructor(pool: Pool, keys: KeyEncryptionKeys, bounds: BatchBounds) {
    this.#pool = pool;
    this.#keys = keys;
    this.#bounds = bounds;
  }

  /**
   * The input is kept until the batch has ended.
   * @throws GatewayError `rate_limited` if the account has too many batches that have not ended; `invalid_request` if it has too many
   * in all, or too many bytes of results; `not_found` without the input
   */
  async create(batch: NewBatch): Promise<Batch> {
    const { id, accountId, keyId, format, endpoint, inputFileId, metadata, headers, outputSeconds, total } =
      batch;
    const sealed =
      metadata &&
      sealBytes(this.#keys, Buffer.from(JSON.stringify(metadata)), metadataContext(accountId, id));
    return withTransaction(this.#pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `batches of ${accountId}`,
      ]);
      const { rows: stored } = await client.query<{ open: bigint; all: bigint }>(
        `SELECT count(*) AS all, count(*) FILTER (WHERE ended_at IS NULL) AS open
         FROM storage.batches WHERE account_id = $1 AND expires_at > now()`,
        [accountId],
      );
      if (Number(stored[0]?.open) >= MAX_OPEN) throw tooMany();
      if (Number(stored[0]?.all) >= this.#bounds.maxAccountBatches)
        throw tooManyStored(this.#bounds.maxAccountBatches);
      await this.#checkResults(client, accountId);
      // A deletion may have begun later than this transaction.
      const { rowCount } = await client.query(
        `SELECT FROM storage.files
         WHERE id = $1 AND account_id = $2 AND sealed_details IS NOT NULL AND expires_at > clock_timestamp() FOR UPDATE`,
        [inputFileId, accountId],
      );
      if (rowCount !== 1) throw noInput();
      const { rows } = await client.query<Row>(
        `INSERT INTO storage.batches (id, account_id, key_id, format, endpoint, input_file_id, sealed_metadata, status,
           total, started_at, deadline_at, expires_at, headers, output_seconds)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + $11 * interval '1 hour', now() + $12 * interval '1 day', $13,
           $14)
         RETURNING *`,
        [
          id,
          accountId,
          keyId,
          format,
          endpoint,
          inputFileId,
          sealed,
          total === undefined ? 'validating' : 'in_progress',
          total ?? 0,
          total === undefined ? null : new Date(),
          WINDOW_HOURS,
          this.#bounds.retentionDays + 1,
          JSON.stringify(headers),
          outputSeconds ?? null,
        ],
      );
      return this.#toBatch(rows[0]!);
    });
  }

  /** Results are stored whatever the account has, and those of calls that failed cost nothing. */
  async #checkResults(client: PoolClient, accountId: string): Promise<void> {
    const { rows } = await client.query<{ bytes: string }>(
      `SELECT coalesce(sum(bytes), 0) AS bytes FROM storage.files
       WHERE account_id = $1 AND purpose = $2 AND expires_at > now()`,
      [accountId, BATCH_OUTPUT_PURPOSE],
    );
    const max = this.#bounds.maxAccountResultBytes;
    if (Number(rows[0]?.bytes) >= max) throw tooManyResults(max);
  }

  async find(reader: ContentReader, format: BatchFormat, id: string): Promise<Batch | undefined> {
    const { rows } = await this.#pool.query<Row>(
      `SELECT * FROM storage.batches WHERE ${mayRead('$1', '$2')} AND id = $3 AND format = $4 AND expires_at > now()`,
      [...readerValues(reader), id, format],
    );
    const [found] = await this.#withProgress(rows);
    return found && this.#toBatch(found);
  }

  /** Returns the batches of a page, newest first, and whether others follow. */
  async list(
    reader: ContentReader,
    format: BatchFormat,
    { limit, before, after }: BatchPageRequest,
  ): Promise<{ batches: Batch[]; hasMore: boolean }> {
    const { rows } = await this.#pool.query<Row>(
      `SELECT * FROM storage.batches
       WHERE ${mayRead('$1', '$2')} AND format = $3 AND expires_at > now()
         AND ($4::text IS NULL OR id < $4) AND ($5::text IS NULL OR id > $5)
       ORDER BY id ${after === undefined ? 'DESC' : 'ASC'} LIMIT $6`,
      [...readerValues(reader), format, before ?? null, after ?? null, limit + 1],
    );
    const page = await this.#withProgress(rows.slice(0, limit));
    const newestFirst = after === undefined ? page : page.toReversed();
    return { batches: newestFirst.map((row) => this.#toBatch(row)), hasMore: rows.length > limit };
  }

  /** Calls that have been sent are still answered. @returns undefined if the batch does not exist or has ended */
  async cancel(reader: ContentReader, format: BatchFormat, id: string): Promise<Batch | undefined> {
    const { rowCount } = await this.#pool.query(
      `UPDATE storage.batches SET cancelling_at = coalesce(cancelling_at, now())
       WHERE ${mayRead('$1', '$2')} AND id = $3 AND format = $4 AND ended_at IS NULL`,
      [...readerValues(reader), id, format],
    );
    return rowCount === 1 ? this.find(reader, format, id) : undefined;
  }

  /** @returns false if the batch does not exist or has not ended */
  async delete(reader: ContentReader, format: BatchFormat, id: string): Promise<boolean> {
    await this.#clear(id);
    const { rowCount } = await this.#pool.query(
      `DELETE FROM storage.batches
       WHERE ${mayRead('$1', '$2')} AND id = $3 AND format = $4 AND ended_at IS NOT NULL AND expires_at > now()`,
      [...readerValues(reader), id, format],
    );
    return rowCount === 1;
  }

  /**
   * Returns the batch that no process has run for the longest time, for this process; first those that are to end. Of the given accounts
   * only those.
   */
  async claim(runner: string, busyAccounts: readonly string[]): Promise<Batch | undefined> {
    const { rows } = await this.#pool.query<Row>(
      `UPDATE storage.batches SET runner = $1, leased_until = now() + $2 * interval '1 second'
       WHERE id = (
         SELECT id FROM storage.batches
         WHERE ended_at IS NULL AND leased_until <= now() AND (account_id <> ALL($3) OR ${IS_TO_END})
         ORDER BY NOT ${IS_TO_END}, leased_until LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING *`,
      [runner, LEASE_SECONDS, busyAccounts],
    );
    return rows[0] && this.#toBatch(rows[0]);
  }

  /** Also renews a lease that has expired, unless another process has the batch. @returns undefined if it is no longer this process's */
  async renew(id: string, runner: string): Promise<{ isCancelling: boolean } | undefined> {
    const { rows } = await this.#pool.query<{ cancelling: boolean }>(
      `UPDATE storage.batches SET leased_until = now() + $3 * interval '1 second'
       WHERE id = $1 AND runner = $2 AND ended_at IS NULL
       RETURNING cancelling_at IS NOT NULL AS cancelling`,
      [id, runner, LEASE_SECONDS],
    );
    return rows[0] && { isCancelling: rows[0].cancelling };
  }

  /** Lets a process continue after that time. */
  async giveBack(id: string, runner: string, afterSeconds: number): Promise<void> {
    await this.#pool.query(
      `UPDATE storage.batches SET leased_until = now() + $3 * interval '1 second', runner = NULL WHERE ${IS_OWN}`,
      [id, runner, afterSeconds],
    );
  }

  /** @returns false if the batch is no longer this process's */
  async start(id: string, runner: string, total: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE storage.batches SET status = 'in_progress', started_at = now(), total = $3 WHERE ${IS_OWN}`,
      [id, runner, total],
    );
    return rowCount === 1;
  }

  /** @returns false if the batch is no longer this process's */
  async fail(id: string, runner: string, problems: readonly BatchProblem[]): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE storage.batches SET status = 'failed', ended_at = now(), problems = $3 WHERE ${IS_OWN}`,
      [id, runner, JSON.stringify(problems)],
    );
    return rowCount === 1;
  }

  /** @returns false if the batch is no longer this process's */
  async finalize(id: string, runner: string, files: { output: string; errors: string }): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE storage.batches SET status = 'finalizing', finalizing_at = coalesce(finalizing_at, now()),
         output_file_id = $3, error_file_id = $4 WHERE ${IS_OWN}`,
      [id, runner, files.output, files.errors],
    );
    return rowCount === 1;
  }

  /**
   * Ends the batch, and forgets its calls. A file without a line does not exist: its id is null.
   * @returns false if the batch is no longer this process's
   */
  async end(
    id: string,
    runner: string,
    status: 'completed' | 'expired' | 'cancelled',
    files: { output: string | null; errors: string | null },
  ): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE storage.batches b SET status = $3, ended_at = now(), output_file_id = $4, error_file_id = $5,
         succeeded = c.succeeded, failed = c.failed, input_tokens = c.input_tokens, cached_tokens = c.cached_tokens,
         output_tokens = c.output_tokens, reasoning_tokens = c.reasoning_tokens, cost_nano = c.cost_nano
       FROM (SELECT count(*) FILTER (WHERE succeeded) AS succeeded, count(*) FILTER (WHERE NOT succeeded) AS failed,
           ${USAGE_SUMS} FROM storage.batch_calls WHERE batch_id = $1) c
       WHERE ${IS_OWN}`,
      [id, runner, status, files.output, files.errors],
    );
    return rowCount === 1;
  }

  async #clear(id: string): Promise<void> {
    const { rowCount } = await this.#pool.query(
      'SELECT FROM storage.batches WHERE id = $1 AND ended_at IS NOT NULL AND has_calls',
      [id],
    );
    if (rowCount === 1) await clearCalls(this.#pool, id);
  }

  /** Returns the calls that have been sent, by line. */
  async sentCalls(id: string): Promise<Map<number, SentCall>> {
    const { rows } = await this.#pool.query<{ line: number; request_id: string; answered: boolean }>(
      `SELECT line, request_id, sealed_result IS NOT NULL AS answered FROM storage.batch_calls WHERE batch_id = $1`,
      [id],
    );
    return new Map(
      rows.map(({ line, request_id, answered }) => [
        line,
        { line, requestId: request_id, isAnswered: answered },
      ]),
    );
  }

  /** Commits that a call is about to be sent. @returns false if the batch is no longer this process's */
  async beginCall(id: string, runner: string, line: number, requestId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `INSERT INTO storage.batch_calls (batch_id, line, request_id)
       SELECT $1, $3::int, $4::uuid FROM storage.batches WHERE ${IS_OWN}
       ON CONFLICT (batch_id, line) DO UPDATE SET request_id = excluded.request_id
         WHERE batch_calls.sealed_result IS NULL`,
      [id, runner, line, requestId],
    );
    return rowCount === 1;
  }

  /** Stores the result of a call, unless it is another attempt's, or has one. A call that was never sent has no row yet. */
  async endCall(
    { id, accountId }: Pick<Batch, 'id' | 'accountId'>,
    line: number,
    requestId: string,
    { line: result, succeeded, usage }: CallResult,
  ): Promise<void> {
    await this.#pool.query(
      `INSERT INTO storage.batch_calls (batch_id, line, request_id, sealed_result, succeeded, input_tokens, cached_tokens,
         output_tokens, reasoning_tokens, cost_nano)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (batch_id, line) DO UPDATE SET sealed_result = excluded.sealed_result, succeeded = excluded.succeeded,
         input_tokens = excluded.input_tokens, cached_tokens = excluded.cached_tokens,
         output_tokens = excluded.output_tokens, reasoning_tokens = excluded.reasoning_tokens,
         cost_nano = excluded.cost_nano
       WHERE batch_calls.sealed_result IS NULL AND batch_calls.request_id = excluded.request_id`,
      [
        id,
        line,
        requestId,
        sealBytes(this.#keys, result, callContext(accountId, id, line)),
        succeeded,
        ...usageValues(usage),
      ],
    );
  }

  /** Returns the lines of the output, or of the errors, in their order. */
  async *results(
    { id, accountId }: Pick<Batch, 'id' | 'accountId'>,
    succeeded: boolean,
  ): AsyncGenerator<Buffer> {
    let after = 0;
    for (;;) {
      // The sizes of the results are known without reading them.
      const { rows } = await this.#pool.query<{ line: number; sealed_result: Buffer }>(
        `SELECT line, sealed_result FROM (
           SELECT line, sealed_result, octet_length(sealed_result) AS bytes,
             sum(octet_length(sealed_result)) OVER (ORDER BY line) AS total
           FROM (SELECT line, sealed_result FROM storage.batch_calls
             WHERE batch_id = $1 AND line > $2 AND succeeded = $3 AND sealed_result IS NOT NULL
             ORDER BY line LIMIT $4) next) page
         WHERE total - bytes < $5 ORDER BY line`,
        [id, after, succeeded, RESULT_PAGE, RESULT_PAGE_BYTES],
      );
      for (const { line, sealed_result } of rows)
        yield openBytes(this.#keys, sealed_result, callContext(accountId, id, line));
      const last = rows.at(-1);
      if (!last) return;
      after = last.line;
    }
  }

  /** Of a batch that has not ended, the counts are those of its calls so far. */
  async #withProgress(rows: readonly Row[]): Promise<readonly Row[]> {
    const open = rows.filter(({ ended_at }) => ended_at === null).map(({ id }) => id);
    if (open.length === 0) return rows;
    const { rows: counts } = await this.#pool.query<{ batch_id: string; succeeded: bigint; failed: bigint }>(
      `SELECT batch_id, count(*) FILTER (WHERE succeeded) AS succeeded, count(*) FILTER (WHERE NOT succeeded) AS failed
       FROM storage.batch_calls WHERE batch_id = ANY($1) GROUP BY batch_id`,
      [open],
    );
    const progress = new Map(counts.map((row) => [row.batch_id, row]));
    return rows.map((row) => {
      const { succeeded, failed } = progress.get(row.id) ?? row;
      return { ...row, succeeded: Number(succeeded), failed: Number(failed) };
    });
  }

  #toBatch(row: Row): Batch {
    const context = metadataContext(row.account_id, row.id);
    return {
      id: row.id,
      accountId: row.account_id,
      keyId: row.key_id,
      format: row.format,
      endpoint: row.endpoint,
      inputFileId: row.input_file_id,
      metadata:
        row.sealed_metadata && JSON.parse(openBytes(this.#keys, row.sealed_metadata, context).toString()),
      headers: row.headers,
      outputSeconds: row.output_seconds,
      status: row.status,
      problems: row.problems ?? [],
      counts: { total: row.total, succeeded: row.succeeded, failed: row.failed },
      usage: {
        inputTokens: Number(row.input_tokens),
        cachedTokens: Number(row.cached_tokens),
        outputTokens: Number(row.output_tokens),
        reasoningTokens: Number(row.reasoning_tokens),
        costNano: row.cost_nano,
      },
      outputFileId: row.output_file_id,
      errorFileId: row.error_file_id,
      createdAt: row.created_at,
      startedAt: row.started_at,
      cancellingAt: row.cancelling_at,
      finalizingAt: row.finalizing_at,
      endedAt: row.ended_at,
      deadlineAt: row.deadline_at,
    };
  }
}

const tooMany = () =>
  new GatewayError('rate_limited', {
    detail: `the account has ${MAX_OPEN} batches that have not ended`,
    retryAfterSeconds: 60,
  });

const tooManyStored = (max: number) =>
  new GatewayError('invalid_request', {
    detail: `the account has ${max} batches: they are deleted when they expire`,
  });

const tooManyResults = (max: number) =>
  new GatewayError('invalid_request', {
    detail: `the results of the account's batches have ${max} bytes or more: delete some of their files`,
  });

const noInput = () => new GatewayError('not_found', { detail: 'input_file_id: there is no such file' });

const usageValues = ({ inputTokens, cachedTokens, outputTokens, reasoningTokens, costNano }: CallUsage) => [
  inputTokens,
  cachedTokens,
  outputTokens,
  reasoningTokens,
  costNano,
];

export const metadataContext = (accountId: string, id: string): string => `batch ${accountId} ${id}`;

export const callContext = (accountId: string, id: string, line: number): string =>
  `batch-call ${accountId} ${id} ${line}`;

/** Deletes the calls of batches that have ended. Returns the number of batches, at most `max`. */
export async function clearEndedBatches(pool: Pool, max: number): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM storage.batches WHERE ended_at IS NOT NULL AND has_calls ORDER BY ended_at LIMIT $1',
    [max],
  );
  for (const { id } of rows) await clearCalls(pool, id);
  return rows.length;
}

/** Some at a time, because 50,000 large ones would exceed the time of a statement. */
async function clearCalls(pool: Pool, id: string): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `DELETE FROM storage.batch_calls WHERE batch_id = $1 AND line IN (
         SELECT line FROM storage.batch_calls WHERE batch_id = $1 ORDER BY line LIMIT $2)`,
      [id, CLEARED_CALLS],
    );
    if ((rowCount ?? 0) < CLEARED_CALLS) break;
  }
  await pool.query('UPDATE storage.batches SET has_calls = false WHERE id = $1', [id]);
}

/** Deletes batches that have expired, of all accounts. Returns how many, at most `max`. */
export async function deleteExpiredBatches(pool: Pool, max: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM storage.batches WHERE id IN (
       SELECT id FROM storage.batches WHERE expires_at <= now() AND ended_at IS NOT NULL AND NOT has_calls
       ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [max],
  );
  return rowCount ?? 0;
}
