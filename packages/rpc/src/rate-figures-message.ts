import type { RateFigures, RateState } from '@gateway/errors';
import { toInt64 } from '@gateway/money';

/** The decoded message that grants and error details share: 64-bit integers are text. */
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
