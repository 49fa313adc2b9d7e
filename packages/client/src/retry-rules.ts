import type { ErrorCode } from './error-codes.ts';
import type { GatewayError } from './gateway-error.ts';

/**
 * When a request that failed with a code may be sent again. `backoff`: after exponentially growing waits. `minutes`: not before minutes
 * have passed. `reset`: when the spending cap's window has ended. `confirmed`: after the operator has confirmed that nothing was
 * generated. `unsent`: with backoff, if it can't have been executed or a repetition can't be charged. `never`: not unchanged.
 */
type RetryRule =
  | { readonly when: 'backoff' | 'unsent' | 'confirmed' | 'minutes' | 'reset'; readonly attempts: number }
  | { readonly when: 'never' };

const NEVER: RetryRule = { when: 'never' };

/** `attempts` counts the first one. */
const RETRY_RULES: Readonly<Record<ErrorCode, RetryRule>> = {
  upstream_failed: { when: 'backoff', attempts: 4 },
  internal_error: { when: 'backoff', attempts: 4 },
  upstream_unavailable: { when: 'minutes', attempts: 2 },
  image_generation_failed: { when: 'backoff', attempts: 3 },
  image_generation_timeout: { when: 'confirmed', attempts: 3 },
  video_generation_failed: { when: 'backoff', attempts: 3 },
  video_task_id_missing: { when: 'backoff', attempts: 3 },
  video_billing_error: NEVER,
  rate_limited: { when: 'backoff', attempts: 5 },
  rpm_rate_limited: { when: 'backoff', attempts: 5 },
  tpm_rate_limited: { when: 'backoff', attempts: 5 },
  request_cost_limit: NEVER,
  key_daily_limit: { when: 'reset', attempts: 2 },
  key_monthly_limit: { when: 'reset', attempts: 2 },
  account_daily_limit: { when: 'reset', attempts: 2 },
  insufficient_balance: NEVER,
  invalid_api_key: NEVER,
  expired_api_key: NEVER,
  invalid_request: NEVER,
  invalid_model: NEVER,
  missing_parameter: NEVER,
  video_tier_not_found: NEVER,
  not_found: NEVER,
  model_not_found: NEVER,
  image_model_not_found: NEVER,
  video_model_not_found: NEVER,
  connection_failed: { when: 'unsent', attempts: 4 },
  unexpected_response: { when: 'unsent', attempts: 4 },
  deadline_exceeded: NEVER,
  video_task_failed: NEVER,
};

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** The gateway's own maximum. A longer one, of a proxy, is left to the caller. */
const MAX_RETRY_AFTER_MS = 60_000;
const MIN_UNAVAILABLE_MS = 2 * 60_000;
const MAX_UNAVAILABLE_MS = 5 * 60_000;
/** Spreads what waits for the same time. */
const SPREAD_MS = 1_000;

export interface RetryLimits {
  readonly maxAttempts: number;
  /** Whether waits of minutes, and until a cap resets, are wanted. */
  readonly longWaits: boolean;
  /** Whether a repetition can't be charged or create anything twice. */
  readonly isRepeatable: boolean;
}

const ruleOf = (code: string): RetryRule =>
  Object.hasOwn(RETRY_RULES, code) ? RETRY_RULES[code as ErrorCode] : NEVER;

/** Whether the request may be sent again only after the operator has confirmed that nothing was generated. */
export const needsConfirmation = ({ code }: GatewayError): boolean => ruleOf(code).when === 'confirmed';

/**
 * Returns the milliseconds to wait before sending a failed request again, or undefined if it must not be.
 * @param attempts how often the request was sent
 * @param random from 0 to 1
 */
export function retryWaitMs(
  error: GatewayError,
  attempts: number,
  limits: RetryLimits,
  nowMs: number,
  random: number,
): number | undefined {
  const rule = ruleOf(error.code);
  if (rule.when === 'never' || attempts >= Math.min(rule.attempts, limits.maxAttempts)) return undefined;
  switch (rule.when) {
    case 'minutes':
      return limits.longWaits
        ? MIN_UNAVAILABLE_MS + random * (MAX_UNAVAILABLE_MS - MIN_UNAVAILABLE_MS)
        : undefined;
    case 'reset':
      if (!limits.longWaits || !error.resetsAt) return undefined;
      return Math.max(0, error.resetsAt.getTime() - nowMs) + random * SPREAD_MS;
    case 'confirmed':
      return backoffMs(attempts, random);
    case 'unsent':
      return error.isUnsent || limits.isRepeatable ? backoffMs(attempts, random) : undefined;
    case 'backoff':
      return error.shouldRetry === false ? undefined : waitAsTold(error, attempts, random);
  }
}

/** 1, 2, 4, 8 s, each 25 % more or less, and at most 30 s. */
export function backoffMs(attempts: number, random: number): number {
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1) * (0.75 + random / 2));
}

/** Returns the wait of the backoff, or that of `Retry-After` if it is longer. */
function waitAsTold({ retryAfterMs = 0 }: GatewayError, attempts: number, random: number) {
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined;
  const waitMs = backoffMs(attempts, random);
  return waitMs >= retryAfterMs ? waitMs : retryAfterMs + random * SPREAD_MS;
}
