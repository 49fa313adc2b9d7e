import { forEachHoldOfPreviousEpochs, releasedEvent, type UsageOutbox } from '@gateway/call-billing';
import type { Logger } from '@gateway/process';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { FileJournal } from './file-journal';
import { replayJournal } from './replay-journal';

/**
 * Ends the calls that previous epochs of this process left open: a call in the journal is delivered again or settled by
 * its last progress; a hold that the journal doesn't know was never dispatched and is released. Resolves when the journal
 * has been read; querying billing for holds continues until it answers.
 */
export async function recoverCalls(options: {
  billing: BillingServiceClient;
  journal: FileJournal;
  outbox: UsageOutbox;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { journal, outbox, log } = options;
  const { finished, interrupted } = replayJournal(journal, Date.now());
  for (const event of finished) outbox.add(event);
  for (const event of interrupted) {
    await journal.final(event);
    outbox.add(event);
  }
  if (finished.length + interrupted.length > 0) {
    log.info({ finished: finished.length, interrupted: interrupted.length }, 'journal replayed');
  }
  const known = new Set([...finished, ...interrupted].map((event) => event.requestId));
  void forEachHoldOfPreviousEpochs(options.billing, journal.owner, options.signal, async (hold) => {
    if (known.has(hold.requestId)) return;
    known.add(hold.requestId);
    const event = releasedEvent(hold, { errorCode: 'internal_error', endedAtMs: Date.now() });
    await journal.final(event);
    outbox.add(event);
  });
}
