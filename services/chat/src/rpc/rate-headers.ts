import type { RateState__Output } from '@gateway/proto/generated/gateway/billing/v1/RateState';

interface Rates {
  readonly requests?: RateState__Output | null;
  readonly tokens?: RateState__Output | null;
}

/** OpenAI's rate headers, for what the key is limited in. */
export function rateHeaders({ requests, tokens }: Rates): Record<string, string> {
  return { ...headersOf('requests', requests), ...headersOf('tokens', tokens) };
}

function headersOf(kind: 'requests' | 'tokens', state: RateState__Output | null | undefined) {
  if (!state) return {};
  return {
    [`x-ratelimit-limit-${kind}`]: state.limit,
    [`x-ratelimit-remaining-${kind}`]: state.remaining,
    [`x-ratelimit-reset-${kind}`]: `${state.resetSeconds}s`,
  };
}
