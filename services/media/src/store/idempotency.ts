import type { Pool } from '@gateway/postgres';
import type { Claim, ClaimedCall, StoredAnswer, StoredReply } from '../idempotency/rules/idempotency';

export interface IdempotencyOptions {
  readonly instanceId: string;
  /** Larger responses are not stored. */
  readonly maxReplyBytes: number;
  /** Maximum bytes of one account's responses; the oldest are deleted for new ones. */
  readonly maxAccountBytes: number;
}

interface Row {
  readonly state: 'claimed' | 'dispatched' | 'unknown' | 'answered';
  readonly fingerprint: string;
  readonly status: number | null;
  readonly headers: Record<string, string> | null;
  readonly requestId: string;
  readonly bodyBytes: number | null;
  readonly orphaned: boolean;
}

const KEPT_FOR = '24 hours';
const SWEPT_AT_ONCE = 1_000;
/** Between two queries the row may have been deleted. */
const MAX_ATTEMPTS = 5;

/** The owner has left, or other instances have declared it dead; no clock is used. */
const OWNER_IS_DEAD = `NOT EXISTS (SELECT 1 FROM media.instances o WHERE o.id = i.instance_id AND o.beats >= 0)`;

/**
 * Table `media.idempotency`: one row for each key in use. The call that claims a key owns its row until it ends; every change names
 * the owner's request, so a call that was declared dead and resumes changes nothing.
 */
export class Idempotency {
  readonly #pool: Pool;
  readonly #options: IdempotencyOptions;

  constructor(pool: Pool, options: IdempotencyOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  async claim(call: ClaimedCall): Promise<Claim> {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      if (await this.#claimRow(call)) return { kind: 'mine' };
      const row = await this.#find(call);
      if (row) return this.#judge(call, row);
    }
    return { kind: 'busy' };
  }

  /** Assigns a key to a call in flight without one; its provider may have been called. False: the key is in use. */
  async register(call: ClaimedCall): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `INSERT INTO media.idempotency
         (account_id, operation, key, fingerprint, request_id, instance_id, state, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'dispatched', now() + interval '${KEPT_FOR}')
       ON CONFLICT (account_id, operation, key) DO NOTHING`,
      [...place(call), call.fingerprint, call.requestId, this.#options.instanceId],
    );
    return rowCount === 1;
  }

  /** Whether claiming it now would find it in that state. Changes nothing. */
  async isBusy(call: ClaimedCall): Promise<boolean> {
    const row = await this.#find(call);
    if (!row || this.#judge(call, row).kind !== 'busy') return false;
    return row.state !== 'claimed' || !row.orphaned;
  }

  /** Undefined: the response was deleted for newer responses, or has expired. */
  async bodyOf(call: ClaimedCall, { requestId }: StoredAnswer): Promise<Buffer | undefined> {
    const { rows } = await this.#pool.query<{ body: Buffer | null }>(
      `SELECT body FROM media.idempotency
       WHERE account_id = $1 AND operation = $2 AND key = $3 AND request_id = $4 AND state = 'answered'`,
      [...place(call), requestId],
    );
    return rows[0]?.body ?? undefined;
  }

  /** Called before a provider is called, and again before another one is. False: the key has been taken over. */
  dispatched(call: ClaimedCall): Promise<boolean> {
    return this.#change(call, `state = 'dispatched'`, `state IN ('claimed', 'dispatched')`);
  }

  /** Repeated calls get this from now on. Without a body, it keeps a stored one. */
  async answered(call: ClaimedCall, { status, headers, body }: StoredReply): Promise<void> {
    const kept = body && body.length <= this.#options.maxReplyBytes ? body : null;
    await this.#pool.query(
      `UPDATE media.idempotency SET state = 'answered', status = $5, headers = $6, body = $7,
         expires_at = now() + interval '${KEPT_FOR}'
       WHERE account_id = $1 AND operation = $2 AND key = $3 AND request_id = $4
         AND (state <> 'answered' OR $7::bytea IS NOT NULL)`,
      [...place(call), call.requestId, status, JSON.stringify(headers), kept],
    );
    if (kept) await this.#makeRoom(call.accountId);
  }

  /** The call is not charged: the key can be used again. */
  async free(call: ClaimedCall): Promise<void> {
    await this.#pool.query(
      `DELETE FROM media.idempotency
       WHERE account_id = $1 AND operation = $2 AND key = $3 AND request_id = $4 AND state <> 'answered'`,
      [...place(call), call.requestId],
    );
  }

  /** The outcome will never be known. */
  async lost(call: ClaimedCall): Promise<void> {
    await this.#change(call, `state = 'unknown'`, `state <> 'answered'`);
  }

  /** Deletes expired rows, a bounded number at a time. */
  async sweep(): Promise<void> {
    await this.#pool.query(
      `DELETE FROM media.idempotency WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM media.idempotency WHERE expires_at <= now() LIMIT ${SWEPT_AT_ONCE}))`,
    );
  }

  /** An unused key, an expired one, or one whose owner died before it did anything. */
  async #claimRow(call: ClaimedCall): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `INSERT INTO media.idempotency AS i
         (account_id, operation, key, fingerprint, request_id, instance_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + interval '${KEPT_FOR}')
       ON CONFLICT (account_id, operation, key) DO UPDATE SET
         fingerprint = excluded.fingerprint, request_id = excluded.request_id, instance_id = excluded.instance_id,
         state = 'claimed', status = NULL, headers = NULL, body = NULL, created_at = now(),
         expires_at = excluded.expires_at
       WHERE i.expires_at <= now() OR (i.state = 'claimed' AND ${OWNER_IS_DEAD})`,
      [...place(call), call.fingerprint, call.requestId, this.#options.instanceId],
    );
    return rowCount === 1;
  }

  async #find(call: ClaimedCall): Promise<Row | undefined> {
    const { rows } = await this.#pool.query<Row>(
      `SELECT state, fingerprint, status, headers, request_id AS "requestId", octet_length(body) AS "bodyBytes",
         ${OWNER_IS_DEAD} AS orphaned
       FROM media.idempotency i WHERE account_id = $1 AND operation = $2 AND key = $3 AND expires_at > now()`,
      place(call),
    );
    return rows[0];
  }

  #judge(call: ClaimedCall, { state, fingerprint, orphaned, ...kept }: Row): Claim {
    if (fingerprint !== call.fingerprint) return { kind: 'other' };
    if (state === 'answered') return { kind: 'answered', answer: toAnswer(kept) };
    return { kind: state === 'unknown' || (state === 'dispatched' && orphaned) ? 'unknown' : 'busy' };
  }

  async #change(call: ClaimedCall, change: string, condition: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE media.idempotency SET ${change}
       WHERE account_id = $1 AND operation = $2 AND key = $3 AND request_id = $4 AND ${condition}`,
      [...place(call), call.requestId],
    );
    return rowCount === 1;
  }

  async #makeRoom(accountId: string): Promise<void> {
    await this.#pool.query(
      `UPDATE media.idempotency i SET body = NULL
       FROM (SELECT operation, key, sum(octet_length(body)) OVER (ORDER BY created_at DESC, operation, key) AS bytes
             FROM media.idempotency WHERE account_id = $1 AND body IS NOT NULL) AS kept
       WHERE i.account_id = $1 AND i.operation = kept.operation AND i.key = kept.key AND kept.bytes > $2`,
      [accountId, this.#options.maxAccountBytes],
    );
  }
}

const toAnswer = ({
  status,
  headers,
  requestId,
  bodyBytes,
}: Omit<Row, 'state' | 'fingerprint' | 'orphaned'>) => ({
  status: status ?? 200,
  headers: headers ?? {},
  requestId,
  ...(bodyBytes !== null && { bodyBytes }),
});

const place = ({ accountId, operation, key }: ClaimedCall) => [accountId, operation, key];
