import { setTimeout as sleep } from 'node:timers/promises';
import { Quota } from '@gateway/quota';
import { ClientDisconnected } from '@gateway/rpc';
import { expect, test } from '@jest/globals';
import { InFlightKeys } from './in-flight-keys';
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

const waiters = () => new Quota({ limit: 3, perHolder: 2 });

/** A store whose key is busy for that many polls. */
function keysBusyFor(pollCount: number) {
  const polled: string[] = [];
  const store = {
    async isBusy({ key }: ClaimedCall) {
      polled.push(key);
      return polled.length < pollCount;
    },
  };
  return { keys: new InFlightKeys({ store, waiters: waiters() }), polled };
}

test('calls that wait for a key share its polls', async () => {
  const { keys, polled } = keysBusyFor(2);
  await Promise.all(Array.from({ length: 4 }, () => keys.changed(CALL, LONG_MS, STAYS)));
  expect(polled).toEqual(['k', 'k']);
});

test('a failed poll reaches every waiting call, and the next call polls again', async () => {
  const { keys, polled } = keysBusyFor(1);
  const broken = new InFlightKeys({
    store: { isBusy: () => Promise.reject(new Error('away')) },
    waiters: waiters(),
  });
  const waits = [1, 2].map(() => broken.changed(CALL, LONG_MS, STAYS));
  for (const wait of waits) await expect(wait).rejects.toThrow('away');
  await expect(broken.changed(CALL, LONG_MS, STAYS)).rejects.toThrow('away');
  await keys.changed(CALL, LONG_MS, STAYS);
  await keys.changed(CALL, LONG_MS, STAYS);
  expect(polled).toHaveLength(2);
});

test('a wait ends at its deadline or when the client disconnects, and polling stops with the last waiter', async () => {
  const { keys, polled } = keysBusyFor(Number.POSITIVE_INFINITY);
  const leaving = new AbortController();
  const left = keys.changed(CALL, LONG_MS, leaving.signal);
  const late = keys.changed(CALL, 5, STAYS);
  leaving.abort();
  await expect(left).rejects.toBeInstanceOf(ClientDisconnected);
  await late;
  // Longer than the wait before the first poll.
  await sleep(80);
  expect(polled).toEqual([]);
});

test('waiting calls are limited per account and in total', () => {
  const { keys } = keysBusyFor(1);
  const leave = keys.enter('a');
  keys.enter('a');
  expect(() => keys.enter('a')).toThrow(expect.objectContaining(BUSY));
  keys.enter('b');
  expect(() => keys.enter('c')).toThrow(expect.objectContaining(BUSY));
  leave();
  keys.enter('a');
});
