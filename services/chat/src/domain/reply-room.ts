import { GatewayError } from '@gateway/errors';
import { LINK_WINDOW_BYTES } from '@gateway/link/link-limits';
import type { BodyRoom } from '@gateway/quota';

export const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 4 * 1024 * 1024;
/** Providers cut off who takes nothing for a minute. */
const MAX_WAIT_MS = 30_000;

/** A reply that its provider has made is not read, because there is no memory for it. */
export class NoReplyRoom extends GatewayError {}

/**
 * A bound on the replies that are here whole, from their first bytes until their callers have them. What the link to the
 * caller takes at once does not count.
 */
export class ReplyRoom {
  readonly #room: BodyRoom;
  readonly #waiting = new Set<() => void>();

  constructor(room: BodyRoom) {
    this.#room = room;
  }

  get usedBytes(): number {
    return this.#room.usedBytes;
  }

  hold(accountId: string): HeldReply {
    return new HeldReply(this, accountId);
  }

  /**
   * Waits for room that others have.
   * @param spareBytes that must be left beside it
   * @throws NoReplyRoom with nothing taken
   */
  async take(accountId: string, bytes: number, spareBytes: number): Promise<void> {
    const took = () => {
      if (!this.#room.take(accountId, bytes + spareBytes)) return false;
      this.#room.give(accountId, spareBytes);
      return true;
    };
    if (took()) return;
    await new Promise<void>((resolve, reject) => {
      const over = () => {
        clearTimeout(timer);
        this.#waiting.delete(again);
      };
      const again = () => {
        if (!took()) return;
        over();
        resolve();
      };
      const timer = setTimeout(() => {
        over();
        const cause = new Error('no room for a reply');
        reject(new NoReplyRoom('rate_limited', { retryAfterSeconds: 1, cause }));
      }, MAX_WAIT_MS);
      this.#waiting.add(again);
    });
  }

  give(accountId: string, bytes: number): void {
    this.#room.give(accountId, bytes);
    for (const again of this.#waiting) again();
  }
}

/**
 * What one reply has of it: something first, then enough for the largest. Taken piece by piece, replies would fill the
 * room together and wait for each other; so the first part is taken only where the second would fit too.
 */
export class HeldReply {
  readonly #room: ReplyRoom;
  readonly #accountId: string;
  #bytes = 0;

  constructor(room: ReplyRoom, accountId: string) {
    this.#room = room;
    this.#accountId = accountId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** So much of it is here. Undefined where no room has to be taken for that: most replies are small. */
  grow(bytes: number): Promise<void> | undefined {
    return bytes <= Math.max(this.#bytes, LINK_WINDOW_BYTES) ? undefined : this.#take(bytes);
  }

  /** It is whole. */
  end(bytes: number): void {
    if (this.#bytes > bytes) this.#keep(bytes);
  }

  give(): void {
    if (this.#bytes > 0) this.#keep(0);
  }

  async #take(bytes: number): Promise<void> {
    const wanted = bytes <= FIRST_BYTES ? FIRST_BYTES : MAX_REPLY_BYTES;
    await this.#room.take(this.#accountId, wanted - this.#bytes, MAX_REPLY_BYTES - wanted);
    this.#bytes = wanted;
  }

  #keep(bytes: number): void {
    this.#room.give(this.#accountId, this.#bytes - bytes);
    this.#bytes = bytes;
  }
}
