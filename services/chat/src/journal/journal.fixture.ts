import type { CellBilling, UsageEvent } from '@gateway/call-billing';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { type DispatchedCall, settledEvent } from '../domain/settlement-event';
import { NO_USAGE } from '../domain/usage';

export const price = { input: 1_000_000_000n, output: 4_000_000_000n };
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

/** Billing of a cell with these open holds; undefined: it does not answer. */
export function cellBilling(name: string, holds: readonly string[] | undefined): CellBilling {
  const client = {
    getChannel: () => ({ getConnectivityState: () => 2 }),
    ListOpenHolds(
      _request: object,
      _metadata: object,
      _options: object,
      callback: (error: object | null, answer?: object) => void,
    ) {
      const listed = holds?.map((requestId) => ({
        requestId,
        accountId: 'a',
        keyId: 'k',
        model: 'sim/chat',
      }));
      if (listed) setImmediate(() => callback(null, { holds: listed }));
      return { cancel: () => callback({ code: 1, details: 'cancelled' }) };
    },
  };
  return { name, client: client as unknown as BillingServiceClient } as CellBilling;
}
