/** One limit per minute of a key, as it stands. */
export interface RateState {
  readonly limit: bigint;
  readonly remaining: bigint;
  /** Until the window would be empty. */
  readonly resetSeconds: number;
}

/** A key's figures for its caller; absent where the key has no such limit. */
export interface RateFigures {
  readonly requests?: RateState;
  readonly tokens?: RateState;
}

/** OpenAI's rate headers, for what the key is limited in. */
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
