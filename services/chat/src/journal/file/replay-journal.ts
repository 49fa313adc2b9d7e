import type { UsageEvent } from '@gateway/call-billing';
import type { DispatchedCall } from '../../domain/settlement-event';
import { NO_USAGE, type TokenUsage } from '../../domain/usage';
import { interruptedEvent } from '../interrupted-event';
import { decodeRecord } from '../journal-record';
import type { FileJournal } from './file-journal';
import { readSegmentLines } from './segment';

/** What previous epochs left: how each of their calls ended, or would have ended. */
export interface ReplayedJournal {
  /** Ends in the journal; billing may or may not have them. */
  readonly finished: UsageEvent[];
  /** Calls interrupted by a kill: their input and the last progress of their output. */
  readonly interrupted: UsageEvent[];
}

/** Reads the segments of previous epochs and tracks their calls as unacknowledged. */
export function replayJournal(journal: FileJournal, nowMs: number): ReplayedJournal {
  const finished = new Map<string, UsageEvent>();
  const open = new Map<string, { call: DispatchedCall; usage: TokenUsage }>();
  for (const segment of journal.earlierSegments) {
    for (const line of readSegmentLines(journal.directory, segment)) {
      const record = decodeRecord(line);
      if (record?.t === 'dispatched') {
        open.set(record.call.requestId, {
          call: record.call,
          usage: { ...NO_USAGE, input: record.inputTokens },
        });
        journal.track(record, segment);
      } else if (record?.t === 'progress') {
        const call = open.get(record.id);
        if (!call) continue;
        call.usage = record.usage;
        journal.track(record, segment);
      } else if (record?.t === 'final') {
        finished.set(record.event.requestId, record.event);
        open.delete(record.event.requestId);
        journal.track(record, segment);
      }
    }
  }
  journal.removeFinishedSegments();
  const interrupted = [...open.values()].map(({ call, usage }) => interruptedEvent(call, usage, nowMs));
  return { finished: [...finished.values()], interrupted };
}
