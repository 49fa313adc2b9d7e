import { toInt64 } from './int64';

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

/** The form that grants and error details share on the wire, as it is read: 64-bit integers as text. */
interface RateStateMessage {
  limit: string;
  remaining: string;
  resetSeconds: number;
}

type NewRateStateMessage = ReturnType<typeof toProtoRate>;

export function toProtoRates({ requests, tokens }: RateFigures): {
  requests?: NewRateStateMessage;
  tokens?: NewRateStateMessage;
} {
  return {
    ...(requests && { requests: toProtoRate(requests) }),
    ...(tokens && { tokens: toProtoRate(tokens) }),
  };
}

export function fromProtoRates({
  requests,
  tokens,
}: {
  requests?: RateStateMessage | null;
  tokens?: RateStateMessage | null;
}): RateFigures {
  return {
    ...(requests && { requests: fromProtoRate(requests) }),
    ...(tokens && { tokens: fromProtoRate(tokens) }),
  };
}

/** OpenAI's rate headers, for what the key is limited in. */
export function rateHeaders({ requests, tokens }: RateFigures): Record<string, string> {
  return {
    ...(requests && headersOf('requests', requests)),
    ...(tokens && headersOf('tokens', tokens)),
  };
}

const toProtoRate = ({ limit, remaining, resetSeconds }: RateState) => ({
  limit: toInt64(limit),
  remaining: toInt64(remaining),
  resetSeconds,
});

const fromProtoRate = ({ limit, remaining, resetSeconds }: RateStateMessage): RateState => ({
  limit: BigInt(limit),
  remaining: BigInt(remaining),
  resetSeconds,
});

const headersOf = (kind: 'requests' | 'tokens', { limit, remaining, resetSeconds }: RateState) => ({
  [`x-ratelimit-limit-${kind}`]: String(limit),
  [`x-ratelimit-remaining-${kind}`]: String(remaining),
  [`x-ratelimit-reset-${kind}`]: `${resetSeconds}s`,
});
