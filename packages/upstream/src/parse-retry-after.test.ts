import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { retryAfterIn, retryAfterSeconds } from './parse-retry-after';

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 10, 23, 12, 0, 0, 400) });
});
afterEach(() => {
  jest.useRealTimers();
});

test.each([
  ['7', 7],
  ['1.2', 2],
  ['0', 1],
  ['999999999', 86_400],
  ['Mon, 23 Nov 2026 12:00:07 GMT', 7],
  ['Monday, 23-Nov-26 12:00:07 GMT', 7],
  ['Mon, 23 Nov 2026 11:00:00 GMT', 1],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ['soon', undefined],
  ['-1', undefined],
  ['', undefined],
  ['2026-11-23T12:00:07Z', undefined],
  ['Mon, 99 Nov 2026 12:00:07 GMT', undefined],
  [undefined, undefined],
])('returns for Retry-After %p the seconds %p', (header, seconds) =>
  expect(retryAfterSeconds(header)).toBe(seconds),
);

test.each([
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after-ms': '2400', 'retry-after': '7' }, 3],
  [{ 'retry-after-ms': '12.5' }, 1],
  [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7],
  [{ 'retry-after-ms': ['1', '2'] }, undefined],
  [{}, undefined],
])('finds in the headers %j the seconds %p', (headers, seconds) =>
  expect(retryAfterIn(headers)).toBe(seconds),
);
