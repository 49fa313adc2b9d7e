import { UpstreamError } from '@gateway/upstream';

export interface ReplyBodyOptions {
  readonly maxBytes: number;
  /** Pauses the connection. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** The reply will not be read to its end. */
  readonly fail: (cause: unknown) => void;
  /** Data arrived or was read. */
  readonly onProgress: () => void;
}

/** Maximum bytes that wait for the reader. */
const MAX_WAITING_BYTES = 256 * 1024;

/** A reply's bytes between the connection and its reader. */
export class ReplyBody implements AsyncIterableIterator<Buffer> {
  readonly #options: ReplyBodyOptions;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #paused = false;
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(options: ReplyBodyOptions) {
    this.#options = options;
  }

  push(bytes: Buffer): void {
    if (this.#ended || this.#error) return;
    this.#bytes += bytes.length;
    if (this.#bytes > this.#options.maxBytes) {
      this.#options.fail(new Error('the reply is too long'));
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#options.onProgress();
    if (this.#waitingBytes > MAX_WAITING_BYTES && !this.#paused) {
      this.#paused = true;
      this.#options.pause();
    }
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Buffered data is discarded: a truncated reply is not a reply. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#drop();
    this.#wake?.();
  }

  /** @throws UpstreamError `broken` */
  async json(): Promise<unknown> {
    const pieces: Buffer[] = [];
    for await (const piece of this) pieces.push(piece);
    try {
      return JSON.parse(Buffer.concat(pieces).toString('utf8'));
    } catch {
      // The parser's own error would quote the reply, and errors are logged.
      throw new UpstreamError({ kind: 'broken', cause: new Error('the reply is not JSON') });
    }
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#waiting.length === 0) {
      if (this.#error) throw this.#error;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const value = this.#waiting.shift()!;
    this.#waitingBytes -= value.length;
    if (!this.#ended) this.#options.onProgress();
    if (this.#paused && this.#waitingBytes <= MAX_WAITING_BYTES / 2) {
      this.#paused = false;
      this.#options.resume();
    }
    return { done: false, value };
  }

  /** The reader needs no more. */
  async return(): Promise<IteratorResult<Buffer, undefined>> {
    if (!this.#ended) this.#options.fail(new Error('the reply was not read to its end'));
    this.#ended = true;
    this.#drop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #drop(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
