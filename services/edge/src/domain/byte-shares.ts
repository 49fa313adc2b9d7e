/** A bound on what each holder has of something that all of them share. */
export class ByteShares {
  readonly maxBytes: number;
  readonly #held = new Map<string, number>();

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** False, and nothing taken, when that much is not left to this holder. */
  take(holder: string, bytes: number): boolean {
    const held = (this.#held.get(holder) ?? 0) + bytes;
    if (held > this.maxBytes) return false;
    if (held > 0) this.#held.set(holder, held);
    return true;
  }

  give(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) - bytes;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
  }
}
