import { setTimeout as sleep } from 'node:timers/promises';
import { REPLY_RULES } from './caller-format';
import type { LoadOrder, StreamsLoad } from './load-contract';
import { send } from './send';
import { SseCounter } from './sse-counter';
import type { Tally } from './tally';

export async function runStreams(order: LoadOrder, load: StreamsLoad, tally: Tally): Promise<void> {
  const stream = async (_: unknown, index: number) => {
    await sleep(index * load.spacingMs);
    try {
      await readStream(order, load, tally);
      tally.answered(load.chunks);
    } catch (error) {
      tally.failed(error);
    }
  };
  await Promise.all(Array.from({ length: load.streams }, stream));
}

function readStream(order: LoadOrder, load: StreamsLoad, tally: Tally): Promise<void> {
  const sentAtMs = performance.now();
  const { before, after } = load.framing;
  const expected = before + load.chunks + after;
  return send<void>(order, (response, resolve, reject) => {
    const counter = new SseCounter(REPLY_RULES[order.format].streamEnd);
    response.on('data', (piece: Buffer) => {
      counter.push(piece);
      // Chunks that come together count once, for the last of them, which is the least late.
      const chunk = Math.min(counter.events, before + load.chunks) - before;
      tally.took(performance.now() - sentAtMs - (chunk - 1) * load.chunkDelayMs);
    });
    response.once('end', () => {
      if (!counter.done) reject(new Error(`a stream without its last event, after ${counter.events} events`));
      else if (counter.events === expected) resolve();
      else reject(new Error(`${counter.events} events in a stream instead of ${expected}`));
    });
  });
}
