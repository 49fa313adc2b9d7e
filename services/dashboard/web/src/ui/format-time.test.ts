import { describe, expect, test } from '@jest/globals';
import { formatAgo, formatDays, formatDuration, formatTime, formatUtc } from './format-time';

const NOW_MS = Date.parse('2026-11-21T22:49:01Z');
const ago = (ms: number) => formatAgo(NOW_MS - ms, NOW_MS);

describe('time formats', () => {
  test('are in local time and in UTC', () => {
    expect(formatTime('2026-11-21T22:49:01Z', 'Europe/Berlin')).toBe('21 Nov 2026, 23:49:01');
    expect(formatUtc('2026-11-21T00:00:00Z')).toBe('21 Nov 2026, 00:00:00 UTC');
  });

  test('show a UTC day unchanged in every time zone', () => {
    expect(formatDays(['2026-11-01', '2026-11-30'])).toEqual(['1 Nov', '30 Nov']);
    expect(formatDays([])).toEqual([]);
  });

  test('show the year if the days are of different years', () => {
    expect(formatDays(['2025-12-31', '2026-01-01', '2026-12-31'])).toEqual([
      '31 Dec 2025',
      '1 Jan 2026',
      '31 Dec 2026',
    ]);
  });

  test.each([
    [0, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 min ago'],
    [3_599_000, '59 min ago'],
    [3_600_000, '1 h ago'],
    [26 * 3_600_000, '1 d ago'],
    [-1_000, 'in less than a minute'],
    [-7_200_000, 'in 2 h'],
    [-59_999, 'in less than a minute'],
    [-60_000, 'in 1 min'],
    [-89_999, 'in 1 min'],
    [-90_000, 'in 2 min'],
    [-3_599_000, 'in 1 h'],
    [-86_399_000, 'in 1 d'],
    [-(7 * 86_400_000 - 1_000), 'in 7 d'],
    [-(7 * 86_400_000 + 5_000), 'in 7 d'],
    [-(30 * 86_400_000 - 1_000), '21 Dec 2026'],
    [7 * 86_400_000 - 1_000, '6 d ago'],
    [7 * 86_400_000, '14 Nov 2026'],
    [30 * 24 * 3_600_000, '22 Oct 2026'],
  ])('show a time %p ms ago as %s', (ms, text) => {
    expect(ago(ms)).toBe(text);
  });
});

test.each([
  [0, '0 ms'],
  [340.4, '340 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [1_240, '1.2 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min 0 s'],
  [119_600, '2 min 0 s'],
  [125_000, '2 min 5 s'],
])('shows a duration of %p ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
