import type { Logger } from '@gateway/process';
import { type Ending, endCall, releaseUnknownHolds } from '../end-interrupted';
import type { FileJournal } from './file-journal';
import { replayJournal } from './replay-journal';

/**
 * Ends the calls that previous epochs of this process left open: a call in the journal is delivered again or settled by
 * its last progress; a hold that the journal doesn't know was never dispatched and is released. Resolves when the journal
 * has been read; querying billing for holds continues until it answers.
 */
export async function recoverCalls(
  options: Ending & { readonly journal: FileJournal; readonly log: Logger },
): Promise<void> {
  const { journal, outbox, log } = options;
  const { finished, interrupted } = replayJournal(journal, Date.now());
  for (const event of finished) outbox.add(event);
  for (const event of interrupted) await endCall(options, event);
  if (finished.length + interrupted.length > 0) {
    log.info({ finished: finished.length, interrupted: interrupted.length }, 'journal replayed');
  }
  const known = [...finished, ...interrupted].map(({ requestId }) => requestId);
  void releaseUnknownHolds(options, journal.owner, known);
}
