import { expect, test } from '@jest/globals';
import { nearLimit } from './near-limit';

test.each<[number, number | null, string]>([
  [5, null, ''],
  [0, 1, ''],
  [0.7999, 1, ''],
  [0.8, 1, 'Requests that could cost more than the $0.20 left are rejected or shortened. '],
  [0.2996, 0.3, 'Requests that could cost more than the $0.0004 left are rejected or shortened. '],
  [0.3, 0.3, 'Requests are rejected with key_daily_limit. '],
  [0, 0, 'Requests are rejected with key_daily_limit. '],
])('warns near the limit: %p of %p used', (used, limit, text) => {
  expect(nearLimit(used, limit, 'key_daily_limit')).toBe(text);
});
