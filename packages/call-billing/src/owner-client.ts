import type { Logger } from '@gateway/process';
import { callUnary } from '@gateway/rpc';
import type { CellBilling, Cells } from './cells';
import type { Owner } from './owner';
import type { HoldIdentity } from './usage-event';

const TIMEOUT_MS = 5_000;
const HEARTBEAT_MS = 5_000;
const RETRY_MS = 500;
const HOLDS_PER_PAGE = 1_000;

/** Sends heartbeats for this owner of holds to the billing of every cell until the returned function is called. */
export function startHeartbeat(cells: Cells<CellBilling>, owner: Owner, log: Logger): () => void {
  const request = { ownerId: owner.id, ownerEpoch: owner.epoch.toString() };
  const beat = () => {
    for (const { client } of cells.all) {
      callUnary(client, client.Heartbeat, request, { timeoutMs: TIMEOUT_MS }).catch((error) =>
        log.debug({ err: error }, 'heartbeat failed'),
      );
    }
  };
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

/**
 * Calls `each` with every open hold, in any cell, of the owner's previous epochs. Retries until the billing of each has
 * answered or `signal` aborts. A hold may be reported more than once until it has been settled.
 */
export async function forEachHoldOfPreviousEpochs(
  cells: Cells<CellBilling>,
  owner: Owner,
  signal: AbortSignal,
  each: (hold: HoldIdentity) => Promise<void>,
): Promise<void> {
  await Promise.all(cells.all.map((cell) => forEachHoldInCell(cell, owner, signal, each)));
}

async function forEachHoldInCell(
  { name, client }: CellBilling,
  owner: Owner,
  signal: AbortSignal,
  each: (hold: HoldIdentity) => Promise<void>,
): Promise<void> {
  const request = { ownerId: owner.id, beforeEpoch: owner.epoch.toString(), limit: HOLDS_PER_PAGE };
  while (!signal.aborted) {
    try {
      const settings = { timeoutMs: TIMEOUT_MS, signal };
      const { holds } = await callUnary(client, client.ListOpenHolds, request, settings);
      for (const hold of holds) await each({ ...hold, cell: name });
      if (holds.length < HOLDS_PER_PAGE) return;
    } catch {
      // Billing is not reachable yet.
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
