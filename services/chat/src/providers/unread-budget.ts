/** Bytes of stream events that may be kept unread over all streams of the process. */
export class UnreadBudget {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get exhausted(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
