import { expect, test } from '@jest/globals';
import { fromLocalTime, toLocalTime } from './local-time';

test('converts a time to local input and back, to the minute', () => {
  expect(fromLocalTime(toLocalTime('2026-11-21T22:49:00.000Z'))).toBe('2026-11-21T22:49:00.000Z');
  expect(toLocalTime('2026-11-21T22:49:31.000Z')).toMatch(/^2026-11-2[0-2]T\d\d:\d\d$/);
});

test('returns null for an incomplete input', () => {
  expect(fromLocalTime('')).toBeNull();
  expect(fromLocalTime('2026-11')).not.toBe('');
});
