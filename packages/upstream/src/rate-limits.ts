import { secondsUntil } from './parse-retry-after';

/** A rate limit of a provider, as the headers of a reply name it. */
export interface RateLimit {
  /** What is limited, such as `requests`, `tokens` or `input-tokens`. */
  readonly name: string;
  readonly remaining: number;
  /** Undefined: not named. */
  readonly limit?: number;
  /** Time from the reply to the reset; undefined: not named. */
  readonly resetMs?: number;
}

const MAX_LIMITS = 8;
const MAX_NAME_CHARS = 40;
/** Such as `x-ratelimit-remaining-tokens` (OpenAI, Azure, Groq) and `anthropic-ratelimit-input-tokens-remaining`. */
const REMAINING = /^(?:x-|anthropic-)?ratelimit-((?:[a-z0-9-]+-)?remaining(?:-[a-z0-9-]+)?)$/;
const COUNT = /^\d{1,15}$/;

/** Returns the limits in the headers of a reply. @param atMs when the reply came; Unix time */
export function rateLimitsOf(headers: Readonly<Record<string, unknown>>, atMs: number): RateLimit[] {
  const limits: RateLimit[] = [];
  for (const [header, value] of Object.entries(headers)) {
    const words = REMAINING.exec(header)?.[1];
    const remaining = countOf(value);
    if (words === undefined || remaining === undefined || limits.length >= MAX_LIMITS) continue;
    const limit = countOf(headers[header.replace('remaining', 'limit')]);
    const resetSeconds = secondsUntil(headers[header.replace('remaining', 'reset')], atMs);
    limits.push({
      name: nameOf(words),
      remaining,
      ...(limit !== undefined && { limit }),
      ...(resetSeconds !== undefined && { resetMs: Math.max(0, Math.round(resetSeconds * 1_000)) }),
    });
  }
  return limits;
}

/** A limit without a name is one of requests. */
function nameOf(words: string): string {
  const name = words.split('-').filter((word) => word !== 'remaining');
  return name.join('-').slice(0, MAX_NAME_CHARS) || 'requests';
}

const countOf = (value: unknown): number | undefined =>
  typeof value === 'string' && COUNT.test(value) ? Number(value) : undefined;
