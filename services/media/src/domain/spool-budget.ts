import { GatewayError } from '@gateway/proto';

/** One account's files may take one of so many parts. */
export const SHARES = 4;

/**
 * A bound on the bytes that all calls together, and those of one account, take: of files on the disk, or of answers in
 * memory; or on the places that they have.
 */
export class SpoolBudget {
  readonly #maxBytes: number;
  readonly #accountBytes = new Map<string, number>();
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** @throws GatewayError `rate_limited`, with nothing taken: waiting cures it */
  take(accountId: string, bytes: number): void {
    const accountBytes = (this.#accountBytes.get(accountId) ?? 0) + bytes;
    if (this.#usedBytes + bytes > this.#maxBytes || accountBytes > this.#maxBytes / SHARES) {
      throw new GatewayError('rate_limited', { retryAfterSeconds: 1 });
    }
    this.#usedBytes += bytes;
    this.#accountBytes.set(accountId, accountBytes);
  }

  give(accountId: string, bytes: number): void {
    this.#usedBytes -= bytes;
    const left = (this.#accountBytes.get(accountId) ?? 0) - bytes;
    if (left > 0) this.#accountBytes.set(accountId, left);
    else this.#accountBytes.delete(accountId);
  }
}
