const LF = 10;
const DONE = 'data: [DONE]\n\n';

/** Counts the events of a stream without decoding them, wherever its pieces are cut. */
export class SseCounter {
  #events = 0;
  #afterLf = false;
  #tail = '';

  get events(): number {
    return this.#events;
  }

  /** The last event was `[DONE]` and nothing came after it. */
  get done(): boolean {
    return this.#tail.endsWith(DONE);
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
    const end = piece.toString('latin1', Math.max(0, piece.length - DONE.length));
    this.#tail = end.length === DONE.length ? end : (this.#tail + end).slice(-DONE.length);
  }
}
