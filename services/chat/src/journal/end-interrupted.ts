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
 * Delays after which holds are listed again. A process that was given up may still send requests when it is resumed, and a network
 * that is back delivers what was sent before, until billing has closed the connection (`SERVER_OPTIONS` of `@gateway/rpc`).
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
    const cancel = () => clearTimeout(timer);
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', cancel);
      void release();
    }, lateMs).unref();
    signal.addEventListener('abort', cancel, { once: true });
  }
}
