const LF = 10;

/** Counts the events of a stream without decoding them, however the stream is split into chunks. */
export class SseCounter {
  readonly #lastFrame: string;
  #events = 0;
  #afterLf = false;
  #tail = '';

  /** @param lastFrame the last frame of a complete stream */
  constructor(lastFrame: string) {
    this.#lastFrame = lastFrame;
  }

  get events(): number {
    return this.#events;
  }

  /** Whether the stream is complete: it ends with the last frame. */
  get done(): boolean {
    return this.#tail.endsWith(this.#lastFrame);
  }

  push(piece: Buffer): void {
    let from = 0;
    if (this.#afterLf && piece[0] === LF) {
      this.#events++;
      from = 1;
    }
    for (;;) {
      const at = piece.indexOf('\n\n', from);
      if (at < 0) break;
      this.#events++;
      from = at + 2;
    }
    this.#afterLf = from < piece.length && piece[piece.length - 1] === LF;
    const { length } = this.#lastFrame;
    const end = piece.toString('latin1', Math.max(0, piece.length - length));
    this.#tail = end.length === length ? end : (this.#tail + end).slice(-length);
  }
}
