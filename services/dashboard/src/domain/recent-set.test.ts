import { expect, test } from '@jest/globals';
import { RecentSet } from './recent-set';

test('adds a name once within its time to live', () => {
  let nowMs = 0;
  const set = new RecentSet({ ttlMs: 100, maxNames: 10, nowMs: () => nowMs });
  expect(set.add('a')).toBe(true);
  nowMs = 99;
  expect(set.add('a')).toBe(false);
  expect(set.add('b')).toBe(true);
  nowMs = 100;
  expect(set.add('a')).toBe(true);
});

test('evicts the oldest name beyond its maximum', () => {
  const set = new RecentSet({ ttlMs: 100, maxNames: 2, nowMs: () => 0 });
  for (const name of ['a', 'b', 'c']) expect(set.add(name)).toBe(true);
  expect(set.add('c')).toBe(false);
  expect(set.add('a')).toBe(true);
});
