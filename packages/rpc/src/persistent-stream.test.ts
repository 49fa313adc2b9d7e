import { EventEmitter } from 'node:events';
import { createLogger } from '@gateway/process';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { PersistentStream } from './persistent-stream';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A server that is away for so long, and how soon it is found again. */
async function foundAfter(awayMs: number): Promise<number> {
  const startMs = Date.now();
  let upAtMs: number | undefined;
  const stream = new PersistentStream<unknown>({
    name: 'test',
    log: createLogger('test', 'silent'),
    open() {
      const opened = Object.assign(new EventEmitter(), { cancel() {} });
      const isUp = Date.now() - startMs >= awayMs;
      process.nextTick(() => opened.emit(isUp ? 'metadata' : 'error', new Error('refused')));
      return opened as unknown as ClientReadableStream<unknown>;
    },
    onMessage() {},
    onUp() {
      upAtMs = Date.now();
    },
  });
  await jest.advanceTimersByTimeAsync(awayMs + 10_000);
  stream.close();
  if (upAtMs === undefined) throw new Error('never found');
  return upAtMs - startMs - awayMs;
}

test.each([0, 100, 1_000, 5_000, 60_000])(
  'a server that was away for %i ms is found within half a second',
  async (awayMs) => {
    expect(await foundAfter(awayMs)).toBeLessThanOrEqual(500);
  },
);
