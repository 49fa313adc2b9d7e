export interface ByteSharesOptions {
  /** What one holder may have. */
  readonly maxBytes: number;
  /** Or as much as it leaves to the others: half of all where it is alone, a third for each of two. */
  readonly orWhatIsLeft?: boolean;
  /** Of all that is shared, what is kept for those who have little. */
  readonly reservedBytes: number;
  readonly littleBytes: number;
}

/**
 * A bound on what each holder has of something that all of them share. Who has much may not take the last of it, so that
 * some who have much at once do not keep everybody else from having a little.
 */
export class ByteShares {
  readonly #options: ByteSharesOptions;
  readonly #held = new Map<string, number>();

  constructor(options: ByteSharesOptions) {
    this.#options = options;
  }

  /**
   * False, and nothing taken, when that much is not left to this holder.
   * @param leftBytes of what all share, when this holder has them
   */
  take(holder: string, bytes: number, leftBytes: number): boolean {
    const { maxBytes, orWhatIsLeft, reservedBytes, littleBytes } = this.#options;
    const held = (this.#held.get(holder) ?? 0) + bytes;
    const mostBytes = orWhatIsLeft ? Math.max(maxBytes, leftBytes) : maxBytes;
    if (held > mostBytes || (held > littleBytes && leftBytes < reservedBytes)) return false;
    if (held > 0) this.#held.set(holder, held);
    return true;
  }

  give(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) - bytes;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
  }
}
