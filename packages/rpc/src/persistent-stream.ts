import type { Logger } from '@gateway/process';
import type { ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';

type AnyStream<Out> = ClientReadableStream<Out> | ClientDuplexStream<never, Out>;

export interface PersistentStreamOptions<Stream, Out> {
  readonly name: string;
  readonly log: Logger;
  /** Opens a stream; the server answers it with metadata at once, which means "up". */
  open(): Stream;
  onMessage(message: Out): void;
  onUp?(stream: Stream): void;
  /** The stream that was up, or was being opened, is gone. Another is on its way. */
  onDown?(): void;
}

const BACKOFF_MIN_MS = 50;
/** With the 1.2 s that gRPC may wait between connections it is less than the 2 s that a call waits for a link. */
const BACKOFF_MAX_MS = 500;
const OPEN_TIMEOUT_MS = 5_000;

/** Keeps one server or two-way stream open, opening it anew with back-off for as long as it is wanted. */
export class PersistentStream<Out, Stream extends AnyStream<Out> = ClientReadableStream<Out>> {
  readonly #options: PersistentStreamOptions<Stream, Out>;
  #stream: Stream | undefined;
  #up = false;
  #closed = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PersistentStreamOptions<Stream, Out>) {
    this.#options = options;
    this.#open();
  }

  get up(): boolean {
    return this.#up;
  }

  /** Ends the stream for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stream?.cancel();
  }

  #open(): void {
    const { log, name } = this.#options;
    const stream = this.#options.open();
    this.#stream = stream;
    let over = false;
    const openTimer = setTimeout(() => stream.cancel(), OPEN_TIMEOUT_MS);
    const lost = (error?: Error) => {
      if (over) return;
      over = true;
      clearTimeout(openTimer);
      if (this.#up && !this.#closed) log.warn({ stream: name, reason: error?.message }, 'stream lost');
      this.#up = false;
      this.#options.onDown?.();
      if (this.#closed) return;
      const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** this.#failures++);
      this.#timer = setTimeout(() => this.#open(), backoffMs);
    };
    stream.on('metadata', () => {
      if (over) return;
      clearTimeout(openTimer);
      this.#failures = 0;
      this.#up = true;
      this.#options.onUp?.(stream);
    });
    stream.on('data', (message: Out) => this.#options.onMessage(message));
    stream.on('error', lost);
    stream.on('end', () => lost());
  }
}
