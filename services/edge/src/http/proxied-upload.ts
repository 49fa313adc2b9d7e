import type { ClientRequest } from 'node:http';
import { GatewayError } from '@gateway/errors';
import { CallerGone, type Exchange } from './exchange';
import { leaseUploadMemory, tooLarge } from './read-body';
import type { SendLimits } from './send-body';
import { MIN_BYTES_PER_SECOND } from './watch-progress';

/**
 * A form on its way to the dashboard. The proxy reads it no faster than the dashboard accepts it; this class counts and
 * times it to its end: the response may come earlier, and the rest of the body is then discarded.
 */
export class ProxiedUpload {
  readonly #exchange: Exchange;
  readonly #limits: SendLimits;
  readonly #releaseMemory: () => void;
  readonly #endMs: number;
  /** The proxy removes the header. */
  readonly #isAwaited: boolean;
  #timer: NodeJS.Timeout | undefined;
  #proxied: ClientRequest | undefined;
  #onFail: (error: GatewayError) => void = () => undefined;
  #passedBytes = 0;
  #seenBytes = 0;
  /** Whether the dashboard has accepted buffered data since the last check. */
  #drained = false;
  /** Since when the dashboard has not accepted data. */
  #stalledSinceMs: number | undefined;

  /** @throws GatewayError when it is declared too large, or too many bodies are in flight; CallerGone */
  constructor(exchange: Exchange, limits: SendLimits, sender: string) {
    const { request, response } = exchange;
    if (request.socket.destroyed || response.headersSent) throw new CallerGone();
    this.#exchange = exchange;
    this.#limits = limits;
    this.#endMs = performance.now() + limits.timeoutMs;
    this.#releaseMemory = leaseUploadMemory(request, limits, sender);
    this.#isAwaited = request.headers.expect !== undefined;
    request.once('end', this.#stop);
    // A request that has been answered gets no event when its connection closes.
    request.socket.once('close', this.#onClose);
  }

  /** Starts together with the proxy. `onFail` is called at most once. */
  watch(proxied: ClientRequest, onFail: (error: GatewayError) => void): void {
    const { request, response } = this.#exchange;
    this.#proxied = proxied;
    this.#onFail = onFail;
    if (this.#isAwaited) response.writeContinue();
    request.on('data', this.#count);
    proxied.on('drain', () => {
      this.#drained = true;
    });
    this.#lookLater();
  }

  readonly #count = (bytes: Buffer) => {
    this.#passedBytes += bytes.length;
    if (this.#passedBytes > this.#limits.maxBytes) this.#fail(tooLarge());
  };

  #lookLater(): void {
    const { progressMs, stallTimeoutMs } = this.#limits;
    const leftMs = Math.max(1, this.#endMs - performance.now());
    this.#timer = setTimeout(this.#look, Math.min(progressMs, stallTimeoutMs, leftMs));
  }

  readonly #look = () => {
    const nowMs = performance.now();
    const { progressMs, stallTimeoutMs } = this.#limits;
    const isMoving =
      this.#drained || this.#passedBytes - this.#seenBytes >= (progressMs / 1_000) * MIN_BYTES_PER_SECOND;
    const isStalled = !isMoving && this.#proxied?.writableNeedDrain === true;
    this.#stalledSinceMs = isStalled ? (this.#stalledSinceMs ?? nowMs) : undefined;
    this.#seenBytes = this.#passedBytes;
    this.#drained = false;
    if (this.#endMs - nowMs < 1 || (!isMoving && !isStalled)) return this.#fail(late());
    if (isStalled && nowMs - this.#stalledSinceMs! >= stallTimeoutMs) return this.#fail(stalled());
    this.#lookLater();
  };

  readonly #onClose = () => {
    this.#stop();
    // The proxy notices a disconnect only before the response, which an incomplete body may already have.
    this.#proxied?.destroy();
  };

  #fail(error: GatewayError): void {
    const { request, response } = this.#exchange;
    this.#stop();
    response.shouldKeepAlive = false;
    // The response has been sent: only the rest of the body is left.
    if (response.headersSent) request.destroy();
    else this.#onFail(error);
  }

  readonly #stop = () => {
    clearTimeout(this.#timer);
    const { request } = this.#exchange;
    request.off('data', this.#count).off('end', this.#stop);
    request.socket.off('close', this.#onClose);
    this.#releaseMemory();
  };
}

const late = () => new GatewayError('invalid_request', { detail: 'the body did not arrive in time' });
const stalled = () =>
  new GatewayError('internal_error', { cause: new Error('the dashboard does not take the body') });
