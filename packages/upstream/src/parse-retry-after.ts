import { textOf } from './json-value';

const MAX_RETRY_AFTER_SECONDS = 86_400;

const NUMBER = /^\d+(\.\d+)?$/;
const HTTP_DATE = /^[A-Z][a-z]+, .+ GMT$/;
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** Numbers from here on are times of the Unix epoch, in seconds or milliseconds. */
const FIRST_EPOCH_SECONDS = 1_000_000_000;
const FIRST_EPOCH_MS = 1_000_000_000_000;

const STEP = String.raw`\d{1,9}(?:\.\d{1,9})? ?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)(?![a-z]) ?`;
const STEPS = new RegExp(STEP, 'g');
const DURATION = new RegExp(`^(?:${STEP})+$`);
const WAIT_IN_MESSAGE = new RegExp(`\\b(?:try again|retry) (?:in|after) ((?:${STEP})+)`, 'i');
const UNIT = /[a-z]+/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Headers with the time until a limit has room again, such as `x-ratelimit-reset-tokens`; each has one with `remaining`. */
const RESET = /^(?:x-|anthropic-)?ratelimit[a-z0-9-]*-reset(?:-|$)/;

/**
 * Returns a provider's `Retry-After` in whole seconds from now: seconds, a date, or a duration such as `6m0s`; undefined if it is
 * invalid.
 */
export function retryAfterSeconds(header: unknown): number | undefined {
  const seconds = secondsUntil(header);
  return seconds === undefined ? undefined : wholeRetrySeconds(seconds);
}

export interface RefusedCall {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The provider's message. */
  readonly message?: unknown;
}

/**
 * Returns how long an error response asks to wait, in whole seconds; undefined if it does not tell. What is meant for the call
 * comes first: `retry-after-ms` (Azure, OpenAI), `retry-after`, then the message of a 429 ("Please try again in 7.2s"), which is
 * all that an error in a stream has. The last resort are the times at which the exhausted limits of a 429 have room again.
 */
export function retryAfterOf({ status, headers, message }: RefusedCall): number | undefined {
  const ms = headers['retry-after-ms'];
  if (typeof ms === 'string' && NUMBER.test(ms)) return wholeRetrySeconds(Number(ms) / 1_000);
  const seconds = retryAfterSeconds(headers['retry-after']);
  if (seconds !== undefined || status !== 429) return seconds;
  const wait = waitInMessage(textOf(message)) ?? secondsUntilReset(headers);
  return wait === undefined ? undefined : wholeRetrySeconds(wait);
}

export function wholeRetrySeconds(seconds: number): number {
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil(seconds)));
}

/**
 * The longest wait of the limits of which nothing remains, because the next call has to fit all of them. Limits of which something
 * remains say nothing: their reset is the time until they are full. Without figures of what remains, the shortest wait, because
 * any of the limits may be the cause and a call that is too early costs nothing.
 */
function secondsUntilReset(headers: Readonly<Record<string, unknown>>): number | undefined {
  const exhausted: number[] = [];
  const unknown: number[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const seconds = RESET.test(name) ? secondsUntil(value) : undefined;
    if (seconds === undefined) continue;
    const remaining = textOf(headers[name.replace('reset', 'remaining')]);
    if (remaining === '') unknown.push(seconds);
    else if (Number(remaining) <= 0) exhausted.push(seconds);
  }
  if (exhausted.length > 0) return Math.max(...exhausted);
  return unknown.length > 0 ? Math.min(...unknown) : undefined;
}

/** Returns undefined if the value is neither a number, a date nor a duration. */
export function secondsUntil(value: unknown, nowMs = Date.now()): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (NUMBER.test(value)) return secondsOfNumber(Number(value), nowMs);
  if (DURATION.test(value)) return secondsOfDuration(value);
  const atMs = HTTP_DATE.test(value) || ISO_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : (atMs - nowMs) / 1_000;
}

function secondsOfNumber(value: number, nowMs: number): number {
  if (value < FIRST_EPOCH_SECONDS) return value;
  return (value < FIRST_EPOCH_MS ? value : value / 1_000) - nowMs / 1_000;
}

function waitInMessage(message: string): number | undefined {
  const duration = WAIT_IN_MESSAGE.exec(message)?.[1];
  return duration === undefined ? undefined : secondsOfDuration(duration.toLowerCase());
}

/** @param duration of `STEPS`, such as `1h2m3.5s` or `20 seconds` */
function secondsOfDuration(duration: string): number {
  let seconds = 0;
  for (const [step] of duration.matchAll(STEPS)) {
    const unit = UNIT.exec(step)?.[0] ?? '';
    const isMs = unit === 'ms' || unit.startsWith('milli');
    seconds += Number.parseFloat(step) * (isMs ? 0.001 : (UNIT_SECONDS[unit.charAt(0)] ?? 0));
  }
  return seconds;
}
