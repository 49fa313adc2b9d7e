import { forEachEarlierHold, releasedEvent, type UsageRelay } from '@gateway/call-billing';
import type { Logger } from '@gateway/process';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { Journal } from './journal';
import { recover } from './recover';

/**
 * Ends the calls that earlier lives of this process left open: what the journal has is delivered again or
 * settled by its last progress, and a hold that it does not know was never dispatched and is released.
 * Resolves when the journal is read; asking billing for holds goes on until it answers.
 */
export async function recoverPreviousEpochs(options: {
  billing: BillingServiceClient;
  journal: Journal;
  relay: UsageRelay;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { journal, relay, log } = options;
  const { finished, interrupted } = recover(journal, Date.now());
  for (const event of finished) relay.add(event);
  for (const event of interrupted) {
    await journal.final(event);
    relay.add(event);
  }
  if (finished.length + interrupted.length > 0) {
    log.info({ finished: finished.length, interrupted: interrupted.length }, 'journal replayed');
  }
  const known = new Set([...finished, ...interrupted].map((event) => event.requestId));
  void forEachEarlierHold(options.billing, journal.owner, options.signal, async (hold) => {
    if (known.has(hold.requestId)) return;
    known.add(hold.requestId);
    const event = releasedEvent(hold, { errorCode: 'internal_error', endedAtMs: Date.now() });
    await journal.final(event);
    relay.add(event);
  });
}
