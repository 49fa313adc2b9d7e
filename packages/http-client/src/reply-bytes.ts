import type { IncomingMessage } from 'node:http';

/** Bytes buffered ahead of the reader; beyond that, reading from the provider pauses. */
const MAX_AHEAD_BYTES = 256 * 1024;
/** Time for the rest of a reply that is no longer read, after which its connection is closed instead of reused. */
const FINISH_MS = 1_000;
const NOTHING = Buffer.alloc(0);

/**
 * Iterates over the bytes of a provider's reply. Joins chunks that arrive while the reader is busy, and yields an empty chunk
 * during a pause. Replaces the stream's own iterator, which costs several times as much CPU time per chunk.
 */
export class ReplyBytes implements AsyncIterableIterator<Buffer> {
  readonly #incoming: IncomingMessage;
  readonly #isClientGone: () => boolean;
  readonly #idleTimer: NodeJS.Timeout;
  #keepAliveSpans = 0;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #over = false;
  #failure: unknown;
  #waiting: { resolve(result: IteratorResult<Buffer>): void; reject(error: unknown): void } | undefined;

  /**
   * @param keepAliveMs silence after which an empty chunk is yielded
   * @param isClientGone whether the client has disconnected: then a broken reply ends without an error
   * @param onIdle called when the provider has been silent for `idleMs` while the reader waited, and after each further
   *   `keepAliveMs` of silence unless it closes the reply
   * @param needsReader whether a reply that has not been read for `idleMs` is idle too
   */
  constructor(
    incoming: IncomingMessage,
    options: {
      readonly idleMs: number;
      readonly keepAliveMs: number;
      readonly needsReader?: boolean;
      isClientGone(): boolean;
      onIdle(): void;
    },
  ) {
    this.#incoming = incoming;
    this.#isClientGone = options.isClientGone;
    const keepAliveSpans = Math.ceil(options.idleMs / options.keepAliveMs);
    this.#idleTimer = setTimeout(() => {
      if (!this.#waiting && !options.needsReader) this.#idleTimer.refresh();
      else if (++this.#keepAliveSpans >= keepAliveSpans) options.onIdle();
      else this.#give(NOTHING);
    }, options.idleMs / keepAliveSpans);
    incoming.on('data', (bytes: Buffer) => this.#onData(bytes));
    incoming.on('end', () => this.#finish(undefined));
    incoming.on('error', (error) => this.#finish(error));
    incoming.on('close', () => {
      if (!this.#over) this.#finish(new Error('connection closed before the end of the reply'));
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer>> {
    if (this.#bytes > 0) return Promise.resolve({ value: this.#take(), done: false });
    if (!this.#over) {
      this.#idleTimer.refresh();
      return new Promise((resolve, reject) => {
        this.#waiting = { resolve, reject };
      });
    }
    if (this.#failure !== undefined && !this.#isClientGone()) return Promise.reject(this.#failure);
    return Promise.resolve({ value: undefined, done: true });
  }

  /** Stops reading. Discards the rest of the reply, for up to a second, so that the connection can be reused. */
  return(): Promise<IteratorResult<Buffer>> {
    this.#pieces = [];
    this.#bytes = 0;
    if (!this.#over) {
      this.#incoming.resume();
      const timer = setTimeout(() => this.#incoming.destroy(), FINISH_MS);
      this.#incoming.once('close', () => clearTimeout(timer));
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  /** Ends the reply, after the bytes that have arrived, with an error; without effect on one that has ended. */
  fail(error: unknown): void {
    this.#finish(error);
  }

  #onData(bytes: Buffer): void {
    this.#keepAliveSpans = 0;
    if (this.#give(bytes)) return;
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_AHEAD_BYTES) this.#incoming.pause();
  }

  #give(bytes: Buffer): boolean {
    const waiting = this.#waiting;
    if (!waiting) return false;
    this.#waiting = undefined;
    waiting.resolve({ value: bytes, done: false });
    return true;
  }

  #take(): Buffer {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    if (this.#incoming.isPaused()) this.#incoming.resume();
    return bytes;
  }

  #finish(failure: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = failure;
    clearTimeout(this.#idleTimer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return;
    if (failure !== undefined && !this.#isClientGone()) waiting.reject(failure);
    else waiting.resolve({ value: undefined, done: true });
  }
}
