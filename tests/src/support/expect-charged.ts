import { until } from '@gateway/testing';
import { expect } from '@jest/globals';
import { type LedgerSummary, meteredNano, readLedger } from './ledger';
import type { Customer, System } from './system';

/** Checks that each of these calls is charged once, what the simulator's meter says. Returns the ledger. */
export async function expectChargedAsMetered(
  system: System,
  customer: Customer,
  calls: readonly { readonly requestId?: string }[],
): Promise<LedgerSummary> {
  const ledger = await readLedger(system, customer);
  for (const { requestId = '' } of calls) {
    expect([requestId, ledger.charges.get(requestId)]).toEqual([
      requestId,
      await meteredNano(system, requestId),
    ]);
  }
  return ledger;
}

/** Waits until the simulator has served so many more calls. */
export async function untilServed(system: System, calls: number, timeoutMs?: number): Promise<void> {
  const served = async () => (await system.meter({ limit: 1 })).calls;
  const before = await served();
  await until(async () => (await served()) >= before + calls, timeoutMs);
}
