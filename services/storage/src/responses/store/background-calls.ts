import { GatewayError } from '@gateway/errors';
import { type Pool, withTransaction } from '@gateway/postgres';
import { type KeyEncryptionKeys, openBytes, sealBytes } from '@gateway/secrets';
import { LEASE_SECONDS } from '../../calls/rules/lease-seconds';
import type { NewResponse, ResponseState } from './responses';
import { contextOf } from './sealed-parts';

/** A response that is to be made in the background; its JSON is that of a queued one. */
export interface QueuedResponse extends NewResponse {
  /** Of the call. */
  readonly body: Buffer;
}

/** The call of a response that has not ended. */
export interface BackgroundCall {
  readonly responseId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly body: Buffer;
  /** Size of the response's input items. */
  readonly inputBytes: number;
  /** JSON of the queued response. */
  readonly queued: Buffer;
  /** Of the last attempt; absent: none was sent, or a rate limit refused it. */
  readonly requestId?: string;
  /** Code of the last refusal by a rate limit. */
  readonly refusal?: string;
  readonly createdAt: Date;
  readonly startBy: Date;
}

export interface EndedResponse {
  /** JSON. */
  readonly response: Buffer;
  /** It has no output. */
  readonly isVoid: boolean;
}

export interface BackgroundBounds {
  readonly retentionDays: number;
  /** Responses of an account that have not ended. */
  readonly maxOpen: number;
  /** Responses of an account that are stored without output. Absent: 1 GiB. */
  readonly maxVoidBytes?: number;
  /** From the creation to the last moment at which the call may be sent. */
  readonly startTimeoutMs: number;
}

/** They have cost nothing: without a bound, an account could store as many as it likes. */
const MAX_VOID_BYTES = 1024 ** 3;
/** Of a row, without its content. */
const ROW_BYTES = 4_096;

interface Row {
  readonly response_id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly sealed_body: Buffer;
  readonly request_id: string | null;
  readonly refusal: string | null;
  readonly created_at: Date;
  readonly start_by: Date;
  readonly sealed_response: Buffer;
  readonly input_bytes: number;
}

/** The calls of responses that are made in the background. A response that has none has ended. */
export class BackgroundCalls {
  readonly #pool: Pool;
  readonly #keys: KeyEncryptionKeys;
  readonly #bounds: BackgroundBounds;

  constructor(pool: Pool, keys: KeyEncryptionKeys, bounds: BackgroundBounds) {
    this.#pool = pool;
    this.#keys = keys;
    this.#bounds = bounds;
  }

  /** @throws GatewayError `rate_limited` if too many responses of the account have not ended, or are stored without output */
  async queue({ accountId, keyId, id, previousId, input, response, body }: QueuedResponse): Promise<void> {
    const { retentionDays, maxOpen, startTimeoutMs, maxVoidBytes = MAX_VOID_BYTES } = this.#bounds;
    const seal = (part: 'input' | 'response' | 'body', content: Buffer) =>
      sealBytes(this.#keys, content, contextOf(part, accountId, id));
    const sealed = {
      input: seal('input', input),
      response: seal('response', response),
      body: seal('body', body),
    };
    await withTransaction(this.#pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `background of ${accountId}`,
      ]);
      const { rows } = await client.query<{ open: bigint; void_bytes: bigint }>(
        `SELECT (SELECT count(*) FROM storage.background_calls WHERE account_id = $1) AS open,
           (SELECT coalesce(sum(input_bytes + response_bytes + $2::int), 0)::bigint FROM storage.responses
            WHERE account_id = $1 AND state = 'void') AS void_bytes`,
        [accountId, ROW_BYTES],
      );
      if (Number(rows[0]?.open) >= maxOpen) throw tooMany(maxOpen);
      if (Number(rows[0]?.void_bytes) > maxVoidBytes) throw tooManyVoid();
      await client.query(
        `INSERT INTO storage.responses
           (id, account_id, key_id, previous_id, state, sealed_input, sealed_response, input_bytes, response_bytes, expires_at)
         VALUES ($1, $2, $9, $3, 'open', $4, $5, $6, $7, now() + $8 * interval '1 day')`,
        [
          id,
          accountId,
          previousId ?? null,
          sealed.input,
          sealed.response,
          input.length,
          response.length,
          retentionDays,
          keyId,
        ],
      );
      await client.query(
        `INSERT INTO storage.background_calls (response_id, account_id, key_id, sealed_body, start_by)
         VALUES ($1, $2, $3, $4, now() + $5 * interval '1 millisecond')`,
        [id, accountId, keyId, sealed.body, startTimeoutMs],
      );
    });
  }

  /** Returns the oldest call that no process runs, for this process; not of the given accounts. */
  async claim(runner: string, busyAccounts: readonly string[]): Promise<BackgroundCall | undefined> {
    const { rows } = await this.#pool.query<Row>(
      `UPDATE storage.background_calls c SET runner = $1, leased_until = now() + $2 * interval '1 second'
       FROM storage.responses r
       WHERE r.id = c.response_id AND c.response_id = (
         SELECT response_id FROM storage.background_calls
         WHERE leased_until <= now() AND account_id <> ALL($3)
         ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING c.*, r.sealed_response, r.input_bytes`,
      [runner, LEASE_SECONDS, busyAccounts],
    );
    return rows[0] && this.#toCall(rows[0]);
  }

  /** Also renews a lease that has expired, unless another process has the call. @returns false if it is no longer this process's */
  async renew(responseId: string, runner: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE storage.background_calls SET leased_until = now() + $3 * interval '1 second'
       WHERE response_id = $1 AND runner = $2`,
      [responseId, runner, LEASE_SECONDS],
    );
    return rowCount === 1;
  }

  /** Lets a process continue after that time. */
  async giveBack(responseId: string, runner: string, afterSeconds: number): Promise<void> {
    await this.#pool.query(
      `UPDATE storage.background_calls SET runner = NULL, leased_until = now() + $3 * interval '1 second'
       WHERE response_id = $1 AND runner = $2`,
      [responseId, runner, afterSeconds],
    );
  }

  /** Lets any process send the call again after that time, because a rate limit has refused it. */
  async postpone(responseId: string, runner: string, waitMs: number, refusal: string): Promise<void> {
    await this.#pool.query(
      `UPDATE storage.background_calls SET runner = NULL, request_id = NULL, refusal = $4,
         leased_until = least(now() + $3 * interval '1 millisecond', start_by)
       WHERE response_id = $1 AND runner = $2`,
      [responseId, runner, waitMs, refusal],
    );
  }

  /** Commits that an attempt is about to be sent. @returns false if the call is no longer this process's */
  async begin(responseId: string, runner: string, requestId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      'UPDATE storage.background_calls SET request_id = $3 WHERE response_id = $1 AND runner = $2',
      [responseId, runner, requestId],
    );
    return rowCount === 1;
  }

  /**
   * Ends a response with the result of an attempt, unless it has ended, or the call is another process's that has sent a later attempt.
   * @returns whether it has ended now
   */
  end(
    { responseId, accountId }: Pick<BackgroundCall, 'responseId' | 'accountId'>,
    by: { readonly runner: string; readonly requestId?: string | undefined },
    ended: EndedResponse,
  ): Promise<boolean> {
    return this.#end(accountId, responseId, ended, 'AND (runner = $3 OR request_id = $4)', [
      by.runner,
      by.requestId ?? null,
    ]);
  }

  /**
   * Ends a response, whichever process runs its call: that process aborts the call when it can't renew its lease.
   * @returns false if the response has ended already
   */
  cancel(accountId: string, responseId: string, ended: EndedResponse): Promise<boolean> {
    return this.#end(accountId, responseId, ended, '', []);
  }

  async #end(
    accountId: string,
    id: string,
    { response, isVoid }: EndedResponse,
    condition: string,
    values: readonly (string | null)[],
  ): Promise<boolean> {
    const state: ResponseState | null = isVoid ? 'void' : null;
    const sealed = sealBytes(this.#keys, response, contextOf('response', accountId, id));
    return withTransaction(this.#pool, async (client) => {
      // In the order in which a deletion locks both.
      await client.query('SELECT FROM storage.responses WHERE id = $1 FOR UPDATE', [id]);
      const { rowCount } = await client.query(
        `DELETE FROM storage.background_calls WHERE response_id = $1 AND account_id = $2 ${condition}`,
        [id, accountId, ...values],
      );
      if (rowCount !== 1) return false;
      await client.query(
        'UPDATE storage.responses SET state = $2, sealed_response = $3, response_bytes = $4 WHERE id = $1',
        [id, state, sealed, response.length],
      );
      return true;
    });
  }

  #toCall(row: Row): BackgroundCall {
    const { response_id: responseId, account_id: accountId } = row;
    const open = (part: 'response' | 'body', sealed: Buffer) =>
      openBytes(this.#keys, sealed, contextOf(part, accountId, responseId));
    return {
      responseId,
      accountId,
      keyId: row.key_id,
      body: open('body', row.sealed_body),
      inputBytes: row.input_bytes,
      queued: open('response', row.sealed_response),
      ...(row.request_id && { requestId: row.request_id }),
      ...(row.refusal && { refusal: row.refusal }),
      createdAt: row.created_at,
      startBy: row.start_by,
    };
  }
}

const tooManyVoid = () =>
  new GatewayError('rate_limited', {
    detail:
      'too many responses in the background that failed or were cancelled are stored: delete some of them',
    shouldRetry: false,
  });

const tooMany = (max: number) =>
  new GatewayError('rate_limited', {
    detail: `the account has ${max} responses in the background that have not ended`,
    retryAfterSeconds: 10,
  });
