import { setTimeout as sleep } from 'node:timers/promises';
import { REPLY_RULES } from './caller-format';
import type { HttpJob, StreamsLoad } from './load-contract';
import { send } from './send';
import { SseCounter } from './sse-counter';
import type { Tally } from './tally';

export async function runStreams(job: HttpJob, load: StreamsLoad, tally: Tally): Promise<void> {
  const stream = async (_: unknown, index: number) => {
    await sleep(index * load.spacingMs);
    try {
      await readStream(job, load, tally);
      tally.recordSuccess(load.chunks);
    } catch (error) {
      tally.recordError(error);
    }
  };
  await Promise.all(Array.from({ length: load.streams }, stream));
}

function readStream(job: HttpJob, load: StreamsLoad, tally: Tally): Promise<void> {
  const sentAtMs = performance.now();
  const { before, after } = load.framing;
  const expected = before + load.chunks + after;
  return send<void>(job, (response, resolve, reject) => {
    const counter = new SseCounter(REPLY_RULES[job.format].streamEnd);
    response.on('data', (piece: Buffer) => {
      counter.push(piece);
      // Chunks that arrive together count once: the delay of the last chunk, which is the smallest.
      const chunk = Math.min(counter.events, before + load.chunks) - before;
      tally.recordLatency(performance.now() - sentAtMs - (chunk - 1) * load.chunkDelayMs);
    });
    response.once('end', () => {
      if (!counter.done) reject(new Error(`stream without its last event, after ${counter.events} events`));
      else if (counter.events === expected) resolve();
      else reject(new Error(`${counter.events} events in a stream instead of ${expected}`));
    });
  });
}
