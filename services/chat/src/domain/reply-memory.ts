import { GatewayError } from '@gateway/errors';
import { LINK_REPLY_WINDOW_BYTES } from '@gateway/link/link-limits';
import type { Quota } from '@gateway/quota';

export const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 4 * 1024 * 1024;
/** Providers close a connection that is not read for a minute. */
const MAX_WAIT_MS = 30_000;

/** There is no memory for a reply that the provider has already produced. */
export class ReplyMemoryExhausted extends GatewayError {}

/** The provider has produced and billed the reply; its size is known at the end. */
export class ReplyTooLarge extends Error {}

/**
 * Memory for one reply that is buffered as a whole, from its first bytes until the client has received it. What the link
 * buffers anyway does not count. The reservation grows in two steps: a first part, then enough for the largest reply.
 * Replies that grew chunk by chunk would fill the memory together and wait for each other, so the first part is reserved
 * only while the rest would fit too.
 */
export class ReplyMemory {
  readonly #quota: Quota;
  readonly #accountId: string;
  #bytes = 0;

  constructor(quota: Quota, accountId: string) {
    this.#quota = quota;
    this.#accountId = accountId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reserves memory for a reply of which so many bytes have arrived. Undefined if nothing has to be reserved: most
   * replies are small. The promise rejects with ReplyMemoryExhausted.
   */
  grow(bytes: number): Promise<void> | undefined {
    return bytes <= Math.max(this.#bytes, LINK_REPLY_WINDOW_BYTES) ? undefined : this.#reserve(bytes);
  }

  /** Releases the memory that a complete reply of this size does not need. */
  shrink(bytes: number): void {
    if (this.#bytes > bytes) this.#keep(bytes);
  }

  release(): void {
    if (this.#bytes > 0) this.#keep(0);
  }

  async #reserve(bytes: number): Promise<void> {
    const wanted = bytes <= FIRST_BYTES ? FIRST_BYTES : MAX_REPLY_BYTES;
    const more = wanted - this.#bytes;
    const rest = MAX_REPLY_BYTES - wanted;
    const attempt = () => {
      if (this.#quota.acquire(this.#accountId, more + rest)) return false;
      this.#quota.release(this.#accountId, rest);
      return true;
    };
    if (!(await this.#quota.waitFor(attempt, MAX_WAIT_MS))) {
      const cause = new Error('no memory for the reply');
      throw new ReplyMemoryExhausted('rate_limited', { retryAfterSeconds: 1, cause });
    }
    this.#bytes = wanted;
  }

  #keep(bytes: number): void {
    this.#quota.release(this.#accountId, this.#bytes - bytes);
    this.#bytes = bytes;
  }
}
