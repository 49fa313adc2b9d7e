import { randomUUID } from 'node:crypto';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { callUnary } from '@gateway/rpc';
import type { ThrottleLease } from '../domain/throttle';

const TIMEOUT_MS = 2_000;

/** Leases this process's share of the platform throttle. */
export function throttleLeases(client: BillingServiceClient): (wanted: number) => Promise<ThrottleLease> {
  const edgeId = randomUUID();
  return (wanted) => callUnary(client, client.LeaseThrottle, { edgeId, wanted }, { timeoutMs: TIMEOUT_MS });
}
