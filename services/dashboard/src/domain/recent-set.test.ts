import { expect, test } from '@jest/globals';
import { RecentSet } from './recent-set';

test('records a name once within its time to live', () => {
  let nowMs = 0;
  const set = new RecentSet({ ttlMs: 100, maxNames: 10, nowMs: () => nowMs });
  expect(set.note('a')).toBe(true);
  nowMs = 99;
  expect(set.note('a')).toBe(false);
  expect(set.note('b')).toBe(true);
  nowMs = 100;
  expect(set.note('a')).toBe(true);
});

test('evicts the oldest name beyond its maximum', () => {
  const set = new RecentSet({ ttlMs: 100, maxNames: 2, nowMs: () => 0 });
  for (const name of ['a', 'b', 'c']) expect(set.note(name)).toBe(true);
  expect(set.note('c')).toBe(false);
  expect(set.note('a')).toBe(true);
});
