import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { TickBatcher } from './tick-batcher';

class Sink extends EventEmitter {
  readonly batches: number[][] = [];
  takesMore = true;

  write(batch: number[]): boolean {
    this.batches.push(batch);
    return this.takesMore;
  }

  resume(): void {
    this.takesMore = true;
    this.emit('drain');
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('items of one turn are sent as one batch, too many or too large ones as several', async () => {
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

test('items accumulate while the sink is paused, and onDrain is called once all are sent', async () => {
  const sink = new Sink();
  let roomCount = 0;
  const batcher: TickBatcher<number, number[]> = new TickBatcher(
    sink,
    (items) => items,
    () => {
      roomCount += 1;
      expect(batcher.isWritable).toBe(true);
    },
  );
  expect(batcher.isWritable).toBe(true);
  sink.takesMore = false;
  batcher.add(1);
  await turn();
  batcher.add(2);
  batcher.add(3);
  await turn();
  expect(batcher.isWritable).toBe(false);
  expect(sink.batches).toEqual([[1]]);
  expect(roomCount).toBe(0);
  sink.resume();
  expect(sink.batches).toEqual([[1], [2, 3]]);
  expect(roomCount).toBe(1);
});

test('a closed batcher sends nothing', async () => {
  const sink = new Sink();
  const batcher = new TickBatcher<number, number[]>(sink, (items) => items);
  batcher.add(1);
  batcher.close();
  batcher.add(2);
  await turn();
  expect(sink.batches).toEqual([]);
  expect(batcher.isWritable).toBe(false);
});
