import type { Pace } from './paced-body';

/**
 * The pieces of a reply on their way to its client, one at a time. A client that disconnects or reads too slowly does not stop the
 * writer, which has to see the end of the reply.
 */
export class ClientStream implements AsyncIterable<Buffer> {
  readonly #pace: Pace;
  readonly #startMs = performance.now();
  #takenBytes = 0;
  #piece: Buffer | undefined;
  #isOver = false;
  #error: Error | undefined;
  #hasLeft = false;
  #onLeft: (() => void) | undefined;
  #onChange: (() => void) | undefined;
  #onTaken: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param client aborted when the client disconnects */
  constructor(client: AbortSignal, pace: Pace) {
    this.#pace = pace;
    if (client.aborted) this.#leave(undefined);
    else client.addEventListener('abort', () => this.#leave(undefined), { once: true });
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Calls it when the client leaves. */
  set onLeft(call: () => void) {
    if (this.#hasLeft) call();
    else this.#onLeft = call;
  }

  /** Resolves when the client has taken the piece or has left. */
  async push(piece: Buffer): Promise<void> {
    if (this.#hasLeft) return;
    this.#piece = piece;
    const { graceMs, leastBytesPerSecond } = this.#pace;
    const dueMs = this.#startMs + graceMs + (this.#takenBytes / leastBytesPerSecond) * 1_000;
    const tooSlow = () => this.#leave(new Error('a reply was read too slowly'));
    this.#timer = setTimeout(tooSlow, Math.max(graceMs / 4, dueMs - performance.now()));
    await new Promise<void>((resolve) => {
      this.#onTaken = resolve;
      this.#onChange?.();
    });
    clearTimeout(this.#timer);
  }

  /** @param error ends the reply in the middle */
  end(error?: Error): void {
    this.#isOver = true;
    this.#error ??= error;
    this.#onChange?.();
  }

  /** For one reader. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.#piece;
      if (piece !== undefined && !this.#hasLeft) {
        this.#piece = undefined;
        this.#takenBytes += piece.length;
        yield piece;
        this.#onTaken?.();
      } else if (this.#isOver) {
        if (this.#error) throw this.#error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#onChange = resolve;
        });
      }
    }
  }

  #leave(error: Error | undefined): void {
    if (this.#hasLeft || this.#isOver) return;
    this.#hasLeft = true;
    this.end(error);
    clearTimeout(this.#timer);
    this.#piece = undefined;
    this.#onTaken?.();
    this.#onLeft?.();
  }
}
