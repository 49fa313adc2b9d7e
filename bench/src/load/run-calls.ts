import { setTimeout as sleep } from 'node:timers/promises';
import { type CallerFormat, REPLY_RULES } from './caller-format';
import type { CallsLoad, LoadOrder } from './load-contract';
import { sendForText } from './send';
import type { Tally } from './tally';

/** Beyond that the target is broken, and going on would only measure how fast it refuses. */
const MAX_ERRORS = 100;

export async function runCalls(order: LoadOrder, load: CallsLoad, tally: Tally): Promise<void> {
  const endMs = performance.now() + load.durationMs;
  const connection = async () => {
    while (performance.now() < endMs && tally.errors < MAX_ERRORS) {
      const startedAtMs = performance.now();
      try {
        checkReply(await sendForText(order), order.format, load.replyText);
        tally.took(performance.now() - startedAtMs);
        tally.answered();
      } catch (error) {
        tally.failed(error);
      }
      if (load.pauseMs !== undefined) await sleep(load.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
}

function checkReply(json: string, format: CallerFormat, expected: string): void {
  const { text, outputTokens } = REPLY_RULES[format].read(JSON.parse(json));
  if (text !== expected) throw new Error(`wrong reply: ${json.slice(0, 200)}`);
  if (!(Number(outputTokens) > 0)) throw new Error('a reply without usage');
}
