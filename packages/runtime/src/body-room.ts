import { ByteShares } from './byte-shares';

/** The last of so many parts of all is for those whose bodies are little. */
const RESERVED_SHARES = 8;
/** At most one of so many parts is little; it is more than most bodies have. */
const LITTLE_SHARES = 1_024;

/** What is kept of so much for those whose bodies are little. */
export const keptOf = (totalBytes: number) => ({
  reservedBytes: Math.floor(totalBytes / RESERVED_SHARES),
  littleBytes: Math.floor(totalBytes / LITTLE_SHARES),
});

/** A bound on the sum of all bodies held at once, with shares of it for each sender. */
export class BodyRoom {
  readonly maxBytes: number;
  readonly #shares: ByteShares;
  #usedBytes = 0;

  /** @param shareBytes for which every sender has room as long as there is any but the last */
  constructor(maxBytes: number, shareBytes: number) {
    this.maxBytes = maxBytes;
    this.#shares = new ByteShares({ maxBytes: shareBytes, orWhatIsLeft: true, ...keptOf(maxBytes) });
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get leftBytes(): number {
    return this.maxBytes - this.#usedBytes;
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
}
