const EMPTY = Buffer.alloc(0);

/** The bytes of a file that arrives in pieces: readers ask for bytes, and the owner of the file pushes them. */
export class ByteInput {
  /** Of the whole file. */
  readonly totalBytes: number;
  #window: Buffer = EMPTY;
  #at = 0;
  /** Bytes that were skipped before they arrived. */
  #toSkip = 0;
  #offset = 0;
  #isEnded = false;

  constructor(totalBytes: number) {
    this.totalBytes = totalBytes;
  }

  /** The bytes that have arrived, from `at` on. A later `push` replaces it. */
  get window(): Buffer {
    return this.#window;
  }

  get at(): number {
    return this.#at;
  }

  /** Position in the file. */
  get offset(): number {
    return this.#offset;
  }

  get available(): number {
    return this.#window.length - this.#at;
  }

  push(piece: Buffer): void {
    const skipped = Math.min(this.#toSkip, piece.length);
    this.#toSkip -= skipped;
    const rest = piece.subarray(skipped);
    const left = this.#window.subarray(this.#at);
    this.#window = left.length === 0 ? rest : Buffer.concat([left, rest]);
    this.#at = 0;
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Waits for the end, and begins at the first byte again: all pieces are needed once more. */
  *restart(): Generator<void, void> {
    while (yield* this.fill(1)) this.skip(this.available);
    this.#window = EMPTY;
    this.#at = 0;
    this.#toSkip = 0;
    this.#offset = 0;
    this.#isEnded = false;
  }

  /** Waits until so many bytes have arrived. Returns false if the file ends before. */
  *fill(bytes: number): Generator<void, boolean> {
    while (this.available < bytes) {
      if (this.#isEnded) return false;
      yield;
    }
    return true;
  }

  skip(bytes: number): void {
    const here = Math.min(bytes, this.available);
    this.#at += here;
    this.#toSkip += bytes - here;
    this.#offset += bytes;
  }

  /** Returns the next bytes, which must have arrived. */
  take(bytes: number): Buffer {
    const taken = this.#window.subarray(this.#at, this.#at + bytes);
    this.skip(bytes);
    return taken;
  }
}
