import {
  type CellBilling,
  type Cells,
  forEachHoldOfPreviousEpochs,
  type Owner,
  releasedEvent,
  type UsageEvent,
  type UsageOutbox,
} from '@gateway/call-billing';
import type { UsageJournal } from './usage-journal';

/** What ends the calls that a process has left open. */
export interface Ending {
  /** Of this process. */
  readonly journal: Pick<UsageJournal, 'final'>;
  readonly outbox: Pick<UsageOutbox, 'add'>;
  readonly cells: Cells<CellBilling>;
  readonly signal: AbortSignal;
}

/** Makes the call's end durable, and delivers it. */
export async function endCall({ journal, outbox }: Ending, event: UsageEvent): Promise<void> {
  await journal.final(event);
  outbox.add(event);
}

/**
 * When requests of a process that was given up may have arrived: those that it was about to send when it was frozen, and, after
 * billing has closed the connection (`SERVER_OPTIONS` of `@gateway/rpc`), those that a network delivered when it was back.
 */
const LATE_REQUESTS_MS = [5_000, 30_000];

/**
 * Releases the holds of the owner's previous epochs that are not among the `known` calls of its journal: they were never
 * dispatched. Resolves when billing has answered; asks it again later for holds of requests that were still on their way.
 */
export async function releaseUnknownHolds(
  ending: Ending,
  owner: Owner,
  known: Iterable<string>,
): Promise<void> {
  const { cells, signal } = ending;
  const ended = new Set(known);
  const release = () =>
    forEachHoldOfPreviousEpochs(cells, owner, signal, async (hold) => {
      if (ended.has(hold.requestId)) return;
      ended.add(hold.requestId);
      await endCall(ending, releasedEvent(hold, { errorCode: 'internal_error', endedAtMs: Date.now() }));
    });
  await release();
  for (const lateMs of LATE_REQUESTS_MS) {
    const timer = setTimeout(release, lateMs).unref();
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }
}
