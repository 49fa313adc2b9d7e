import type { UsageEvent } from '@gateway/call-billing';
import { type DispatchedCall, settledEvent } from '../domain/settlement-event';
import { NO_USAGE } from '../domain/usage';

export const price = { inputNano: 1_000_000_000n, outputNano: 4_000_000_000n };
const end = { usageSource: 'provider', status: 200, errorCode: '', endedAtMs: 2, firstByteMs: 1 } as const;

export function call(requestId: string): DispatchedCall {
  return {
    requestId,
    accountId: 'a',
    keyId: 'k',
    model: 'sim/chat',
    provider: 'sim',
    endpoint: '/v1/chat/completions',
    streamed: true,
    price,
    priceVersion: 7n,
    startedAtMs: 1,
  };
}

export const final = (requestId: string, output = 5): UsageEvent =>
  settledEvent(call(requestId), { ...end, usage: { ...NO_USAGE, output } });
