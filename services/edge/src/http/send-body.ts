import type { Readable } from 'node:stream';
import { GatewayError } from '@gateway/errors';
import { tooLarge } from './buffered-body';
import {
  type ContentCoding,
  codingOf,
  createDecoder,
  type Decoder,
  malformedCoding,
  refusalOfRatio,
} from './content-coding';
import type { Exchange } from './exchange';
import { type BodyLimits, leaseUploadMemory } from './read-body';
import { watchProgress } from './watch-progress';

/** The part of a linked call that is needed here. */
export interface BodySink {
  sendBody(bytes: Buffer): boolean;
  endBody(): void;
}

export interface SendLimits extends BodyLimits {
  /** Maximum time without the answering service accepting any bytes. */
  readonly stallTimeoutMs: number;
}

/**
 * A request body that is streamed to the answering service, decompressed: it is read from the client only as fast as the service
 * accepts it, so that memory use does not depend on its size.
 */
export class StreamedUpload {
  readonly #exchange: Exchange;
  readonly #limits: SendLimits;
  readonly #releaseMemory: () => void;
  readonly #endMs: number;
  readonly #coding: ContentCoding | undefined;
  #decoder: Decoder | undefined;
  /** The request, or its decoder. */
  #source: Readable | undefined;
  #sink: BodySink | undefined;
  #onFail: (error: GatewayError) => void = () => undefined;
  #stopWatching: () => void = () => undefined;
  #sentBytes = 0;
  #encodedBytes = 0;
  #waiting = false;
  #stopped = false;

  /** @throws GatewayError when its declared size is too large, its coding is unknown, or too many bodies are in flight */
  constructor(exchange: Exchange, limits: SendLimits, sender: string) {
    this.#exchange = exchange;
    this.#limits = limits;
    this.#endMs = performance.now() + limits.timeoutMs;
    this.#coding = codingOf(exchange.request);
    this.#releaseMemory = leaseUploadMemory(exchange.request, limits, this.#coding, sender);
  }

  get unfinished(): boolean {
    return !this.#exchange.request.complete;
  }

  /** Starts sending. `onFail` is called at most once, and not after `stop`. */
  sendTo(sink: BodySink, onFail: (error: GatewayError) => void): void {
    if (this.#stopped) return;
    this.#sink = sink;
    this.#onFail = onFail;
    const { request, response } = this.#exchange;
    if (request.headers.expect !== undefined) response.writeContinue();
    this.#watchClient();
    if (this.#coding) request.on('readable', this.#decode).on('end', this.#decode);
    else this.#readFrom(request);
  }

  /** Begins at the first bytes, which tell how the others are decoded. */
  readonly #decode = () => {
    const { request } = this.#exchange;
    request.off('readable', this.#decode).off('end', this.#decode);
    const first = read(request);
    if (first) request.unshift(first);
    this.#decoder = createDecoder(this.#coding!, first?.[0]);
    request.on('data', this.#countEncoded).pipe(this.#decoder);
    this.#readFrom(this.#decoder.on('error', this.#onMalformed));
  };

  #readFrom(source: Readable): void {
    this.#source = source;
    // In paused mode, several small pieces are read as one.
    source.on('readable', this.#forward).on('end', this.#onEnd);
    this.#forward();
  }

  /** Called when the answering service accepts more bytes. */
  resume(): void {
    if (!this.#waiting || this.#stopped) return;
    this.#waiting = false;
    this.#watchClient();
    this.#forward();
  }

  /** Releases its memory; may be called more than once. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#stopWatching();
    const { request, response } = this.#exchange;
    request.off('readable', this.#decode).off('end', this.#decode);
    this.#source?.off('readable', this.#forward).off('end', this.#onEnd);
    if (this.#decoder) request.off('data', this.#countEncoded).unpipe(this.#decoder);
    this.#decoder?.destroy();
    // The rest of the body is not read.
    if (this.unfinished) response.shouldKeepAlive = false;
    this.#releaseMemory();
  }

  readonly #forward = () => {
    while (this.#source && !this.#waiting && !this.#stopped) {
      const bytes = read(this.#source);
      if (!bytes) return;
      this.#sentBytes += bytes.length;
      const refusal = this.#refusal();
      if (refusal) this.#fail(refusal);
      else if (!this.#sink?.sendBody(bytes)) this.#wait();
    }
  };

  #refusal(): GatewayError | undefined {
    if (this.#sentBytes > this.#limits.maxBytes) return tooLarge();
    return this.#decoder && refusalOfRatio(this.#sentBytes, this.#decoder.bytesWritten);
  }

  readonly #onMalformed = () => {
    if (this.#coding) this.#fail(malformedCoding(this.#coding));
  };

  readonly #countEncoded = (bytes: Buffer) => {
    this.#encodedBytes += bytes.length;
  };

  readonly #onEnd = () => {
    // Its decoder reads one frame of zstd only: what follows would be lost.
    if (this.#decoder && this.#decoder.bytesWritten < this.#encodedBytes) return this.#onMalformed();
    this.#sink?.endBody();
    this.stop();
  };

  /** Waits for the answering service. Only one side is timed at a moment: the one that the other waits for. */
  #wait(): void {
    this.#waiting = true;
    this.#stopWatching();
    const leftMs = Math.max(1, this.#endMs - performance.now());
    const cause = new Error('the answering service does not accept the body');
    const timer = setTimeout(
      () => this.#fail(new GatewayError('internal_error', { cause })),
      Math.min(this.#limits.stallTimeoutMs, leftMs),
    );
    this.#stopWatching = () => clearTimeout(timer);
  }

  #watchClient(): void {
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

function read(source: Readable): Buffer | null {
  return source.read() as Buffer | null;
}
