import type { Logger } from '@gateway/process';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { OpenHold__Output } from '@gateway/proto/generated/gateway/billing/v1/OpenHold';
import { callUnary } from '@gateway/rpc';
import type { Owner } from './owner';

const TIMEOUT_MS = 5_000;
const HEARTBEAT_MS = 5_000;
const RETRY_MS = 500;
const HOLDS_PER_PAGE = 1_000;

/** Sends heartbeats for this owner of holds to billing until the returned function is called. */
export function startHeartbeat(client: BillingServiceClient, owner: Owner, log: Logger): () => void {
  const beat = () => {
    const request = { ownerId: owner.id, ownerEpoch: owner.epoch.toString() };
    callUnary(client, client.Heartbeat, request, { timeoutMs: TIMEOUT_MS }).catch((error) =>
      log.debug({ err: error }, 'heartbeat failed'),
    );
  };
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

/**
 * Calls `each` with every open hold of the owner's previous epochs. Retries until billing answers or `signal` aborts. A
 * hold may be reported more than once until it has been settled.
 */
export async function forEachHoldOfPreviousEpochs(
  client: BillingServiceClient,
  owner: Owner,
  signal: AbortSignal,
  each: (hold: OpenHold__Output) => Promise<void>,
): Promise<void> {
  const request = { ownerId: owner.id, beforeEpoch: owner.epoch.toString(), limit: HOLDS_PER_PAGE };
  while (!signal.aborted) {
    try {
      const settings = { timeoutMs: TIMEOUT_MS, signal };
      const { holds } = await callUnary(client, client.ListOpenHolds, request, settings);
      for (const hold of holds) await each(hold);
      if (holds.length < HOLDS_PER_PAGE) return;
    } catch {
      // Billing is not reachable yet.
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
