import { setTimeout as sleep } from 'node:timers/promises';
import { type CallerFormat, REPLY_RULES } from './caller-format';
import type { CallsLoad, HttpJob } from './load-contract';
import { sendForText } from './send';
import type { Tally } from './tally';

/** Stops a run whose target is broken, which would only measure how fast it fails. */
const MAX_ERRORS = 100;

export async function runCalls(job: HttpJob, load: CallsLoad, tally: Tally): Promise<void> {
  const startMs = performance.now();
  const endMs = startMs + load.durationMs;
  const connection = async () => {
    for (let dueMs = startMs; dueMs < endMs && tally.errors < MAX_ERRORS; dueMs = nextDueMs(dueMs, load)) {
      const earlyMs = dueMs - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      const startedAtMs = performance.now();
      try {
        checkReply(await sendForText(job), job.format, load.replyText);
        tally.recordLatency(performance.now() - startedAtMs);
        tally.recordSuccess();
      } catch (error) {
        tally.recordError(error);
      }
      if (load.pauseMs !== undefined) await sleep(load.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
}

/** Returns when the next call is due. With a pace, late calls are still made. */
function nextDueMs(dueMs: number, { everyMs }: CallsLoad): number {
  return everyMs === undefined ? performance.now() : dueMs + everyMs;
}

function checkReply(json: string, format: CallerFormat, expected: string | undefined): void {
  const { text, tokens } = REPLY_RULES[format].read(JSON.parse(json));
  if (expected === undefined ? !text : text !== expected)
    throw new Error(`wrong reply: ${json.slice(0, 200)}`);
  if (!(Number(tokens) > 0)) throw new Error('reply without usage');
}
