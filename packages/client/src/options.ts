import type { Clock } from './clock.ts';
import type { GatewayError } from './gateway-error.ts';

export interface ClientOptions {
  /** The gateway's origin, for example `https://gateway.example.com`; `/v1` at its end is ignored. */
  readonly baseUrl: string;
  /** `sk-gw-…` */
  readonly apiKey: string;
  /** Defaults of all calls. */
  readonly defaults?: Omit<CallOptions, 'signal' | 'idempotencyKey'> | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

export interface CallOptions {
  /** Ends the call, also while it waits; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time for the whole call: all attempts, the waits between them, and reading the reply. Default: 10 minutes. */
  readonly deadlineMs?: number | undefined;
  /** Lowers the number of attempts that the error's rule allows; 1 disables retries. */
  readonly maxAttempts?: number | undefined;
  /**
   * Whether to wait 2 to 5 minutes after `upstream_unavailable`, and until `resets_at` after a spending cap, if the deadline allows.
   * Default: false, because most programs have something better to do, such as using another model or key.
   */
  readonly longWaits?: boolean | undefined;
  /** Another key than the client's, for example after `key_daily_limit`. */
  readonly apiKey?: string | undefined;
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Images and the creation of videos: a request with the same key and body is executed once a day. Default: a random key for each call.
   * null: none; then a request whose outcome is unknown is not sent again.
   */
  readonly idempotencyKey?: string | null | undefined;
  /**
   * Called after `image_generation_timeout`. Return true only if the gateway's operator has confirmed that nothing was generated: the
   * request is then sent again, and charged again.
   */
  readonly confirmNotFinished?: ((error: GatewayError) => boolean | Promise<boolean>) | undefined;
  /** Called before each wait for another attempt. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Called with the head of the successful response. */
  readonly onResponse?: ((head: ResponseHead) => void) | undefined;
}

export interface ChatOptions extends CallOptions {
  /** Models of other providers, tried in this order when the model's provider is unavailable. */
  readonly fallbackModels?: readonly string[] | undefined;
}

export interface StreamOptions extends ChatOptions {
  /** The longest time without a byte of the stream before it counts as broken. Default: 2 minutes. */
  readonly idleMs?: number | undefined;
  /**
   * Called when a stream broke after its first chunk and the request is sent again: discard what the stream has yielded. Without it
   * such a stream throws `upstream_failed`; one that has yielded nothing is sent again in any case.
   */
  readonly onRestart?: ((error: GatewayError) => void) | undefined;
}

export interface Retry {
  readonly error: GatewayError;
  /** How often the request was sent. */
  readonly attempts: number;
  readonly waitMs: number;
}

export interface ResponseHead {
  readonly requestId: string | undefined;
  /** USD; undefined where the cost is known only at the end, as in streams. */
  readonly cost: number | undefined;
  readonly headers: Headers;
}
