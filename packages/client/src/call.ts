import type { Clock } from './clock.ts';
import { type GatewayError, isGatewayError } from './gateway-error.ts';
import type { CallOptions, Retry } from './options.ts';
import { needsConfirmation, retryWaitMs } from './retry-rules.ts';

const DEFAULT_DEADLINE_MS = 10 * 60_000;
/** The longest that timers can wait. */
const MAX_DEADLINE_MS = 2 ** 31 - 1;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
const KEY_BYTES = 16;

export interface CallRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as JSON, unless it is a form. */
  readonly body?: object | undefined;
  /** Whether a repetition can't be charged or create anything twice. By default with GET and with an idempotency key. */
  readonly isRepeatable?: boolean | undefined;
  /** Whether the endpoint knows `Idempotency-Key`. */
  readonly hasIdempotencyKey?: boolean | undefined;
  /** Models of other providers for when that of the body is unavailable. */
  readonly fallbackModels?: readonly string[] | undefined;
}

/** A call of the caller with all its attempts. */
export class Call {
  readonly request: CallRequest;
  readonly options: CallOptions;
  readonly #clock: Clock;
  readonly #endMs: number;
  readonly #fallbackModels: string[];
  #idempotencyKey: string | undefined;
  #body: string | FormData | undefined;
  #model: string;
  #attempts = 0;

  constructor(clock: Clock, request: CallRequest, options: CallOptions) {
    this.request = request;
    this.options = options;
    this.#clock = clock;
    this.#endMs = clock.now() + checkedDeadline(options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    this.#fallbackModels = [...(request.fallbackModels ?? [])];
    const { body } = request;
    this.#model = (body as { model?: string } | undefined)?.model ?? '';
    // Now, because every attempt sends the original request, whatever the caller does with the object meanwhile.
    this.#body = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
    if (request.hasIdempotencyKey) this.#idempotencyKey = checkedKey(options.idempotencyKey);
    // `@host` would make the gateway's address the login of another host, which would get the key.
    if (!request.path.startsWith('/')) throw new TypeError('the path must begin with a slash');
    options.signal?.throwIfAborted();
  }

  get remainingMs(): number {
    return Math.max(0, this.#endMs - this.#clock.now());
  }

  get idempotencyKey(): string | undefined {
    return this.#idempotencyKey;
  }

  /** Returns the body of the next attempt. */
  nextBody(): string | FormData | undefined {
    this.#attempts += 1;
    return this.#body;
  }

  /**
   * Waits until a failed request may be sent again.
   * @param mayRepeat whether the caller can take another reply from its beginning
   * @throws the failure if the request must not be sent again or the call's time would be over by then
   */
  async beforeRetry(thrown: unknown, mayRepeat = true): Promise<void> {
    if (!isGatewayError(thrown)) throw thrown;
    const error = this.#describe(thrown);
    if (mayRepeat && this.#takesFallback(error)) return this.#notify({ error, waitMs: 0 });
    const waitMs = mayRepeat ? this.#waitMs(error) : undefined;
    if (waitMs === undefined || waitMs >= this.remainingMs) throw error;
    if (needsConfirmation(error)) {
      if (!(await this.options.confirmNotFinished?.(error))) throw error;
      // The key stands for the attempt whose outcome was unknown.
      this.#idempotencyKey &&= newIdempotencyKey();
    }
    this.#notify({ error, waitMs });
    await this.#clock.sleep(waitMs, this.options.signal);
  }

  #waitMs(error: GatewayError): number | undefined {
    const { maxAttempts = Number.POSITIVE_INFINITY, longWaits = false } = this.options;
    const { method, isRepeatable } = this.request;
    const repeatable = isRepeatable ?? (method === 'GET' || this.#idempotencyKey !== undefined);
    const limits = { maxAttempts, longWaits, isRepeatable: repeatable };
    return retryWaitMs(error, this.#attempts, limits, this.#clock.now(), this.#clock.random());
  }

  #takesFallback(error: GatewayError): boolean {
    if (!isGatewayError(error, 'upstream_unavailable')) return false;
    for (let next = this.#fallbackModels.shift(); next !== undefined; next = this.#fallbackModels.shift()) {
      if (typeof this.#body !== 'string' || providerOf(next) === providerOf(this.#model)) continue;
      this.#model = next;
      this.#body = JSON.stringify({ ...JSON.parse(this.#body), model: next });
      this.#attempts = 0;
      return true;
    }
    return false;
  }

  #describe(error: GatewayError): GatewayError {
    error.attempts = this.#attempts;
    // A timed-out request without a key can be repeated under its request id.
    error.idempotencyKey =
      this.#idempotencyKey ?? (needsConfirmation(error) ? error.requestId : error.idempotencyKey);
    return error;
  }

  #notify(retry: Omit<Retry, 'attempts'>): void {
    this.options.onRetry?.({ ...retry, attempts: retry.error.attempts });
  }
}

/** `openai/gpt-5.5` → `openai`. */
export const providerOf = (model: string): string => model.split('/')[0] ?? '';

function checkedDeadline(deadlineMs: number): number {
  if (deadlineMs > 0 && deadlineMs <= MAX_DEADLINE_MS) return deadlineMs;
  throw new RangeError(`deadlineMs must be above 0 and at most ${MAX_DEADLINE_MS}`);
}

function checkedKey(given: string | null | undefined): string | undefined {
  if (given === undefined) return newIdempotencyKey();
  if (given === null) return undefined;
  if (IDEMPOTENCY_KEY.test(given)) return given;
  throw new RangeError('idempotencyKey must have 1 to 255 printable ASCII characters');
}

/** Not `randomUUID`, which browsers have on secure pages only. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
