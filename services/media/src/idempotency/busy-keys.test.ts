import { setTimeout as sleep } from 'node:timers/promises';
import { ClientDisconnected } from '@gateway/rpc';
import { expect, test } from '@jest/globals';
import { BusyKeys } from './busy-keys';
import type { ClaimedCall } from './rules/idempotency';

const CALL: ClaimedCall = {
  accountId: 'a',
  operation: 'images',
  key: 'k',
  fingerprint: 'f',
  requestId: 'r',
};
const LONG_MS = 10_000;
const { signal: STAYS } = new AbortController();
const BUSY = { code: 'rate_limited', retryAfterSeconds: 1 };

/** Of a key that is busy for so many looks. */
function keysBusyFor(looksLeft: number, more = {}) {
  const looked: string[] = [];
  const store = {
    async isBusy({ key }: ClaimedCall) {
      looked.push(key);
      return looked.length < looksLeft;
    },
  };
  return { keys: new BusyKeys({ store, maxWaiters: 3, maxAccountWaiters: 2, ...more }), looked };
}

test('one look is for all who wait for a key', async () => {
  const { keys, looked } = keysBusyFor(2);
  await Promise.all(Array.from({ length: 4 }, () => keys.changed(CALL, LONG_MS, STAYS)));
  expect(looked).toEqual(['k', 'k']);
});

test('a look that fails is told to all who wait, and the next one looks anew', async () => {
  const { keys, looked } = keysBusyFor(1);
  const broken = new BusyKeys({
    store: { isBusy: () => Promise.reject(new Error('away')) },
    maxWaiters: 3,
    maxAccountWaiters: 2,
  });
  const waits = [1, 2].map(() => broken.changed(CALL, LONG_MS, STAYS));
  for (const wait of waits) await expect(wait).rejects.toThrow('away');
  await expect(broken.changed(CALL, LONG_MS, STAYS)).rejects.toThrow('away');
  await keys.changed(CALL, LONG_MS, STAYS);
  await keys.changed(CALL, LONG_MS, STAYS);
  expect(looked).toHaveLength(2);
});

test('a wait ends with its time or its caller; nobody looks for nobody', async () => {
  const { keys, looked } = keysBusyFor(Number.POSITIVE_INFINITY);
  const leaving = new AbortController();
  const left = keys.changed(CALL, LONG_MS, leaving.signal);
  const late = keys.changed(CALL, 5, STAYS);
  leaving.abort();
  await expect(left).rejects.toBeInstanceOf(ClientDisconnected);
  await late;
  // Longer than the first look waits.
  await sleep(80);
  expect(looked).toEqual([]);
});

test('few of an account wait, and few in all', () => {
  const { keys } = keysBusyFor(1);
  const leave = keys.enter('a');
  keys.enter('a');
  expect(() => keys.enter('a')).toThrow(expect.objectContaining(BUSY));
  keys.enter('b');
  expect(() => keys.enter('c')).toThrow(expect.objectContaining(BUSY));
  leave();
  keys.enter('a');
});
