const MAX_RETRY_AFTER_SECONDS = 86_400;

/** Of a provider's `Retry-After`, whole seconds; a date or nonsense is left out. */
export function retryAfterSeconds(header: unknown): number | undefined {
  if (typeof header !== 'string' || !/^\d+(\.\d+)?$/.test(header)) return undefined;
  return wholeRetrySeconds(Number(header));
}

export function wholeRetrySeconds(seconds: number): number {
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil(seconds)));
}
