import { beforeEach, expect, test } from '@jest/globals';
import { SingleFlightCache } from './single-flight-cache';

let nowMs = 0;
let requests = 0;
let cache: SingleFlightCache<number>;
beforeEach(() => {
  nowMs = 0;
  requests = 0;
  cache = new SingleFlightCache({
    keepMs: (result) => (result < 100 ? 5_000 : 0),
    maxEntries: 2,
    nowMs: () => nowMs,
  });
});

const request = async () => ++requests;
const fails = async () => {
  requests++;
  throw new Error('no');
};

test('shares a request among concurrent callers, and its result with callers soon after', async () => {
  expect(await Promise.all([cache.get('a', request), cache.get('a', request)])).toEqual([1, 1]);
  nowMs = 4_999;
  expect(await cache.get('a', request)).toBe(1);
  expect(await cache.get('b', request)).toBe(2);
  nowMs = 5_000;
  expect(await cache.get('a', request)).toBe(3);
});

test('does not reuse a result whose keepMs is 0', async () => {
  requests = 100;
  expect(await cache.get('a', request)).toBe(101);
  expect(await cache.get('a', request)).toBe(102);
});

test('rejects the callers that wait for a failed request, and no later caller', async () => {
  const both = await Promise.allSettled([cache.get('a', fails), cache.get('a', fails)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(requests).toBe(1);
  expect(await cache.get('a', request)).toBe(2);
});

test('evicts the oldest results beyond the maximum, but never pending requests', async () => {
  let finish = (_result: number) => {};
  const pending = cache.get('pending', () => new Promise<number>((resolve) => (finish = resolve)));
  for (const id of ['a', 'b', 'c']) await cache.get(id, request);
  const shared = cache.get('pending', request);
  finish(7);
  expect(await Promise.all([pending, shared])).toEqual([7, 7]);
  expect(await cache.get('a', request)).toBe(4);
});
