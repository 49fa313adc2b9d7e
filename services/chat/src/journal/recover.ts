import type { UsageEvent } from '@gateway/call-billing';
import type { TokenUsage } from '../domain/usage';
import { type DispatchedCall, settledEvent } from '../domain/usage-event';
import type { Journal } from './journal';
import { decodeRecord } from './journal-record';
import { readSegmentLines } from './segment';

/** What an earlier life left: how each of its calls ended, or would have. */
export interface Recovered {
  /** Ends that were journalled; billing may or may not have them. */
  readonly finished: UsageEvent[];
  /** Calls that were cut by the kill: their input, and the last progress of their output. */
  readonly interrupted: UsageEvent[];
}

/** Reads the earlier lives' segments and marks what is found as unacknowledged. */
export function recover(journal: Journal, nowMs: number): Recovered {
  const finished = new Map<string, UsageEvent>();
  const open = new Map<string, { call: DispatchedCall; usage: TokenUsage }>();
  for (const segment of journal.earlierSegments) {
    for (const line of readSegmentLines(journal.directory, segment)) {
      const record = decodeRecord(line);
      if (record?.t === 'dispatched') {
        open.set(record.call.requestId, {
          call: record.call,
          usage: { input: record.inputTokens, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
        });
        journal.keep(record.call.requestId, segment);
      } else if (record?.t === 'progress') {
        const call = open.get(record.id);
        if (call) call.usage = record.usage;
      } else if (record?.t === 'final') {
        finished.set(record.event.requestId, record.event);
        open.delete(record.event.requestId);
        journal.keep(record.event.requestId, segment);
      }
    }
  }
  journal.removeFinishedSegments();
  const interrupted = [...open.values()].map(({ call, usage }) =>
    settledEvent(call, {
      usage,
      usageSource: 'recovered',
      status: 0,
      errorCode: 'internal_error',
      endedAtMs: nowMs,
      firstByteMs: 0,
      // Of a stream that shows all that it uses, the last progress is the truth but for a second.
      ...((call.usageIsHidden || !call.streamed) && { lossReason: 'owner_killed' }),
    }),
  );
  return { finished: [...finished.values()], interrupted };
}
