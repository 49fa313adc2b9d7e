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

/** Simulates an outage of that duration; returns how long after its end the stream is up. */
async function reconnectDelayMs(outageMs: number): Promise<number> {
  const startMs = Date.now();
  let upAtMs: number | undefined;
  const stream = new PersistentStream<unknown>({
    name: 'test',
    log: createLogger('test', 'silent'),
    open() {
      const opened = Object.assign(new EventEmitter(), { cancel() {} });
      const isUp = Date.now() - startMs >= outageMs;
      process.nextTick(() => opened.emit(isUp ? 'metadata' : 'error', new Error('refused')));
      return opened as unknown as ClientReadableStream<unknown>;
    },
    onMessage() {},
    onUp() {
      upAtMs = Date.now();
    },
  });
  await jest.advanceTimersByTimeAsync(outageMs + 10_000);
  stream.close();
  if (upAtMs === undefined) throw new Error('the stream was never up');
  return upAtMs - startMs - outageMs;
}

test.each([0, 100, 1_000, 5_000, 60_000])(
  'a stream is up again within half a second after an outage of %i ms',
  async (outageMs) => {
    expect(await reconnectDelayMs(outageMs)).toBeLessThanOrEqual(500);
  },
);
