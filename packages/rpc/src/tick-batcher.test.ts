import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { TickBatcher } from './tick-batcher';

class Sink extends EventEmitter {
  readonly batches: number[][] = [];
  accepts = true;

  write(batch: number[]): boolean {
    this.batches.push(batch);
    return this.accepts;
  }

  resume(): void {
    this.accepts = true;
    this.emit('drain');
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('sends the items of one event loop turn as one batch, or as several if they exceed the batch limits', async () => {
  const sink = new Sink();
  const batcher = new TickBatcher<number, number[]>(sink, (items) => items);
  batcher.add(1);
  batcher.add(2);
  expect(sink.batches).toEqual([]);
  await turn();
  expect(sink.batches).toEqual([[1, 2]]);
  batcher.add(3, 1024 * 1024);
  batcher.add(4, 1);
  for (let item = 0; item < 2_000; item++) batcher.add(item);
  await turn();
  expect(sink.batches.slice(1).map((batch) => batch.length)).toEqual([1, 1_024, 977]);
});

test('accumulates items while the sink is paused, and calls onDrain when all have been sent', async () => {
  const sink = new Sink();
  let drainCount = 0;
  const batcher: TickBatcher<number, number[]> = new TickBatcher(
    sink,
    (items) => items,
    () => {
      drainCount += 1;
      expect(batcher.isWritable).toBe(true);
    },
  );
  expect(batcher.isWritable).toBe(true);
  sink.accepts = false;
  batcher.add(1);
  await turn();
  batcher.add(2);
  batcher.add(3);
  await turn();
  expect(batcher.isWritable).toBe(false);
  expect(sink.batches).toEqual([[1]]);
  expect(drainCount).toBe(0);
  sink.resume();
  expect(sink.batches).toEqual([[1], [2, 3]]);
  expect(drainCount).toBe(1);
});

test('sends nothing after it was closed', async () => {
  const sink = new Sink();
  const batcher = new TickBatcher<number, number[]>(sink, (items) => items);
  batcher.add(1);
  batcher.close();
  batcher.add(2);
  await turn();
  expect(sink.batches).toEqual([]);
  expect(batcher.isWritable).toBe(false);
});
