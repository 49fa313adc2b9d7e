import type { Logger } from '@gateway/process';
import type { ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';

type AnyStream<Out> = ClientReadableStream<Out> | ClientDuplexStream<never, Out>;

export interface PersistentStreamOptions<Stream, Out> {
  readonly name: string;
  readonly log: Logger;
  /** Opens a stream. The server sends metadata immediately, which marks the stream as up. */
  open(): Stream;
  onMessage(message: Out): void;
  onUp?(stream: Stream): void;
  /** Called when the current stream is lost or could not be opened; another one is opened after a back-off. */
  onDown?(): void;
}

const BACKOFF_MIN_MS = 50;
/** Together with gRPC's own back-off of up to 1.2 s this is less than the 2 s for which a call waits for a link. */
const BACKOFF_MAX_MS = 500;
const OPEN_TIMEOUT_MS = 5_000;

/** Keeps one server-streaming or bidirectional stream open: reopens it with back-off until it is closed. */
export class PersistentStream<Out, Stream extends AnyStream<Out> = ClientReadableStream<Out>> {
  readonly #options: PersistentStreamOptions<Stream, Out>;
  #stream: Stream | undefined;
  #up = false;
  #closed = false;
  #retired = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PersistentStreamOptions<Stream, Out>) {
    this.#options = options;
    this.#open();
  }

  get up(): boolean {
    return this.#up;
  }

  /** Closes the stream permanently. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stream?.cancel();
  }

  /** Keeps the current stream, which has to be up, and opens no other when it ends. */
  retire(): void {
    this.#retired = true;
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
      if (this.#up && !this.#closed && (error || !this.#retired))
        log.warn({ stream: name, reason: error?.message }, 'stream lost');
      this.#up = false;
      this.#options.onDown?.();
      if (this.#closed || this.#retired) return;
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
