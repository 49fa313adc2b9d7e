import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { callUnary } from '@gateway/rpc';
import type { UsageDelivery } from './usage-delivery';

const TIMEOUT_MS = 10_000;

/** Delivers usage events directly to billing, for a gateway without Kafka. */
export function grpcDelivery(client: BillingServiceClient): UsageDelivery {
  return {
    async deliver(events) {
      await callUnary(client, client.Deliver, { events: [...events] }, { timeoutMs: TIMEOUT_MS });
    },
    async close() {},
  };
}
