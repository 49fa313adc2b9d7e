import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { Exchange } from './exchange';
import { type BodyLimits, leaseUploadMemory, tooLarge } from './read-body';
import { watchProgress } from './watch-progress';

/** The part of a linked call that is needed here. */
export interface BodyTaker {
  sendBody(bytes: Buffer): boolean;
  endBody(): void;
}

export interface SendLimits extends BodyLimits {
  /** The answering service may take nothing for so long. */
  readonly stallTimeoutMs: number;
}

/**
 * A request body on its way through: read off the caller's connection no faster than it is taken, so that it costs
 * the same whatever its size.
 */
export class StreamedUpload {
  readonly #exchange: Exchange;
  readonly #limits: SendLimits;
  readonly #releaseMemory: () => void;
  readonly #endMs: number;
  #taker: BodyTaker | undefined;
  #onFail: (error: GatewayError) => void = () => undefined;
  #stopWatching: () => void = () => undefined;
  #sentBytes = 0;
  #waiting = false;
  #stopped = false;

  /** @throws GatewayError when it says that it is too large, or too many bodies are under way */
  constructor(exchange: Exchange, limits: SendLimits, sender: string) {
    this.#exchange = exchange;
    this.#limits = limits;
    this.#endMs = performance.now() + limits.timeoutMs;
    this.#releaseMemory = leaseUploadMemory(exchange.request, limits, sender);
  }

  get unfinished(): boolean {
    return !this.#exchange.request.complete;
  }

  /** Begins. `onFail` is called at most once, and not after `stop`. */
  sendTo(taker: BodyTaker, onFail: (error: GatewayError) => void): void {
    if (this.#stopped) return;
    this.#taker = taker;
    this.#onFail = onFail;
    const { request, response } = this.#exchange;
    if (request.headers.expect !== undefined) response.writeContinue();
    this.#watchCaller();
    // In this mode what came in many small pieces is read as one.
    request.on('readable', this.#pass).on('end', this.#onEnd);
    this.#pass();
  }

  /** The answering service took some. */
  goOn(): void {
    if (!this.#waiting || this.#stopped) return;
    this.#waiting = false;
    this.#watchCaller();
    this.#pass();
  }

  /** Holds nothing any more; may be called more than once. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#stopWatching();
    const { request, response } = this.#exchange;
    request.off('readable', this.#pass).off('end', this.#onEnd);
    // What is left of it is not worth waiting for.
    if (this.unfinished) response.shouldKeepAlive = false;
    this.#releaseMemory();
  }

  readonly #pass = () => {
    const { request } = this.#exchange;
    while (!this.#waiting && !this.#stopped) {
      const bytes = read(request);
      if (!bytes) return;
      this.#sentBytes += bytes.length;
      if (this.#sentBytes > this.#limits.maxBytes) this.#fail(tooLarge());
      else if (!this.#taker?.sendBody(bytes)) this.#wait();
    }
  };

  readonly #onEnd = () => {
    this.#taker?.endBody();
    this.stop();
  };

  /** Whose turn it is decides what may not take too long. */
  #wait(): void {
    this.#waiting = true;
    this.#stopWatching();
    const leftMs = Math.max(1, this.#endMs - performance.now());
    const cause = new Error('the answering service does not take the body');
    const timer = setTimeout(
      () => this.#fail(new GatewayError('internal_error', { cause })),
      Math.min(this.#limits.stallTimeoutMs, leftMs),
    );
    this.#stopWatching = () => clearTimeout(timer);
  }

  #watchCaller(): void {
    this.#stopWatching();
    const timeoutMs = Math.max(1, this.#endMs - performance.now());
    this.#stopWatching = watchProgress(
      { timeoutMs, progressMs: this.#limits.progressMs },
      () => this.#sentBytes,
      (error) => this.#fail(error),
    );
  }

  #fail(error: GatewayError): void {
    if (this.#stopped) return;
    this.stop();
    this.#onFail(error);
  }
}

function read(request: IncomingMessage): Buffer | null {
  return request.read() as Buffer | null;
}
