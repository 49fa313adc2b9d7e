import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';

export interface ResponseBounds {
  /** JSON of an account's responses and their inputs. */
  readonly maxBytes: number;
  readonly maxCount: number;
}

interface Stored {
  bytes: number;
  count: number;
  /** It is used for as long as one that refuses. */
  isStale: boolean;
  readonly readAtMs: number;
}

/** How long a sum is used: other processes may store more meanwhile. */
const MAX_AGE_MS = 5_000;
/** A refusal is decided by a younger sum, because responses may have been deleted. */
const REFUSING_AGE_MS = 250;
const MAX_ACCOUNTS = 10_000;

/**
 * Bounds what each account stores. Sums are read at most every 250 ms, so several processes together may exceed a bound by what they store
 * within 5 s.
 */
export class ResponseQuota {
  readonly #pool: Pool;
  readonly #bounds: ResponseBounds;
  readonly #now: () => number;
  readonly #stored = new Map<string, Stored>();

  constructor(pool: Pool, bounds: ResponseBounds, now: () => number = Date.now) {
    this.#pool = pool;
    this.#bounds = bounds;
    this.#now = now;
  }

  /** @throws GatewayError `invalid_request` if one more response of this size would exceed a bound */
  async check(accountId: string, bytes: number): Promise<void> {
    for (const maxAgeMs of [MAX_AGE_MS, REFUSING_AGE_MS]) {
      const stored = await this.#read(accountId, maxAgeMs);
      if (stored.count < this.#bounds.maxCount && stored.bytes + bytes <= this.#bounds.maxBytes) return;
    }
    const { maxCount, maxBytes } = this.#bounds;
    throw new GatewayError('invalid_request', {
      detail:
        `store: the account has as many stored responses as it may have (${maxCount}, ${maxBytes} bytes in all): ` +
        'delete some of them, or send "store": false',
    });
  }

  /** A response was stored. */
  add(accountId: string, bytes: number): void {
    const stored = this.#stored.get(accountId);
    if (!stored) return;
    stored.bytes += bytes;
    stored.count += 1;
  }

  /** Responses of the account were deleted. */
  forget(accountId: string): void {
    const stored = this.#stored.get(accountId);
    if (stored) stored.isStale = true;
  }

  async #read(accountId: string, maxAgeMs: number): Promise<Stored> {
    const known = this.#stored.get(accountId);
    const usedMs = known?.isStale ? REFUSING_AGE_MS : maxAgeMs;
    if (known && this.#now() - known.readAtMs <= usedMs) return known;
    const readAtMs = this.#now();
    const { rows } = await this.#pool.query<{ bytes: bigint; count: bigint }>(
      `SELECT coalesce(sum(input_bytes + response_bytes), 0)::bigint AS bytes, count(*) AS count
       FROM storage.responses WHERE account_id = $1 AND expires_at > now()`,
      [accountId],
    );
    const stored = { bytes: Number(rows[0]?.bytes), count: Number(rows[0]?.count), isStale: false, readAtMs };
    this.#stored.delete(accountId);
    this.#stored.set(accountId, stored);
    if (this.#stored.size > MAX_ACCOUNTS) this.#stored.delete(this.#stored.keys().next().value ?? '');
    return stored;
  }
}
