/** The current state of one per-minute limit of a key. */
export interface RateState {
  readonly limit: bigint;
  readonly remaining: bigint;
  /** Time until the window is empty. */
  readonly resetSeconds: number;
}

/** A key's rate limits as reported to its client; absent where the key has no such limit. */
export interface RateFigures {
  readonly requests?: RateState;
  readonly tokens?: RateState;
}

/** Returns OpenAI's rate limit headers for the limits that the key has. */
export function rateHeaders({ requests, tokens }: RateFigures): Record<string, string> {
  return {
    ...(requests && headersOf('requests', requests)),
    ...(tokens && headersOf('tokens', tokens)),
  };
}

const headersOf = (kind: 'requests' | 'tokens', { limit, remaining, resetSeconds }: RateState) => ({
  [`x-ratelimit-limit-${kind}`]: String(limit),
  [`x-ratelimit-remaining-${kind}`]: String(remaining),
  [`x-ratelimit-reset-${kind}`]: `${resetSeconds}s`,
});
