import { ByteShares } from './byte-shares';

/** The last of so many parts of all is for those whose bodies are little. */
const RESERVED_SHARES = 8;
/** What a sender has is little up to one of so many parts. */
const LITTLE_SHARES = 1_024;
const SMALL_BYTES = 16 * 1024;

/** What is kept of so much for those whose bodies are little. */
export const keptOf = (totalBytes: number) => ({
  reservedBytes: Math.floor(totalBytes / RESERVED_SHARES),
  littleBytes: Math.floor(totalBytes / LITTLE_SHARES),
});

/** A bound on the sum of all bodies held at once, with shares of it for each sender. */
export class BodyRoom {
  readonly #maxBytes: number;
  readonly #shares: ByteShares;
  #usedBytes = 0;

  /** @param shareBytes for which every sender has room as long as there is any but the last */
  constructor(maxBytes: number, shareBytes: number) {
    this.#maxBytes = maxBytes;
    this.#shares = new ByteShares({ maxBytes: shareBytes, orWhatIsLeft: true, ...keptOf(maxBytes) });
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get leftBytes(): number {
    return this.#maxBytes - this.#usedBytes;
  }

  /** False, and nothing taken, where that much is not left, or not left to this sender. */
  take(sender: string, bytes: number): boolean {
    const leftBytes = this.leftBytes - bytes;
    if (leftBytes < 0 || !this.#shares.take(sender, bytes, leftBytes)) return false;
    this.#usedBytes += bytes;
    return true;
  }

  give(sender: string, bytes: number): void {
    this.#usedBytes -= bytes;
    this.#shares.give(sender, bytes);
  }

  /**
   * Likewise, of a body whose length is known. A small one is refused only where nobody has room: who has much is kept from
   * more of that, not from all else.
   */
  takeWhole(sender: string, bytes: number): boolean {
    if (bytes > SMALL_BYTES) return this.take(sender, bytes);
    if (bytes > this.leftBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  giveWhole(sender: string, bytes: number): void {
    if (bytes > SMALL_BYTES) this.give(sender, bytes);
    else this.#usedBytes -= bytes;
  }
}
