const MAX_RETRY_AFTER_SECONDS = 86_400;

const HTTP_DATE = /^[A-Z][a-z]+, .+ GMT$/;

/** Returns a provider's `Retry-After`, seconds or a date, in whole seconds from now; undefined if it is invalid. */
export function retryAfterSeconds(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return wholeRetrySeconds(Number(header));
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : wholeRetrySeconds((atMs - Date.now()) / 1_000);
}

/** Returns the wait in a response's headers in whole seconds; undefined if they have none. `retry-after-ms` is Azure's. */
export function retryAfterIn(headers: Readonly<Record<string, unknown>>): number | undefined {
  const ms = headers['retry-after-ms'];
  if (typeof ms === 'string' && /^\d+(\.\d+)?$/.test(ms)) return wholeRetrySeconds(Number(ms) / 1_000);
  return retryAfterSeconds(headers['retry-after']);
}

export function wholeRetrySeconds(seconds: number): number {
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil(seconds)));
}
