import { expect, test } from '@jest/globals';
import { daysOf, namedDays, readView, toParams } from './usage-range';

const NOW_MS = Date.parse('2026-11-21T23:59:00Z');
const read = (search: string) => readView(new URLSearchParams(search));
const days = (search: string) => daysOf(read(search), NOW_MS);

test.each([
  ['', { from: '2026-10-23', to: '2026-11-21' }],
  ['range=7', { from: '2026-11-15', to: '2026-11-21' }],
  ['range=month', { from: '2026-11-01', to: '2026-11-21' }],
  ['range=nonsense&by=nonsense', { from: '2026-10-23', to: '2026-11-21' }],
  ['range=custom&from=2026-01-02&to=2026-01-02', { from: '2026-01-02', to: '2026-01-02' }],
  ['range=custom&from=2026-01-02', undefined],
  ['range=custom&from=2026-01-03&to=2026-01-02', undefined],
  ['range=custom&from=2020-01-01&to=2026-01-02', undefined],
  ['range=custom&from=2026-02-31x&to=2026-03-02', undefined],
])('reads the usage range %p as %p', (search, expected) => {
  expect(days(search)).toEqual(expected);
});

test('a range has the number of days in its name', () => {
  expect(namedDays(days('range=7')!)).toHaveLength(7);
});

test('writes the range to the address as it was read', () => {
  expect(toParams(read('by=key&range=custom&from=2026-01-01&to=2026-01-02')).toString()).toBe(
    'by=key&range=custom&from=2026-01-01&to=2026-01-02',
  );
  expect(toParams(read('range=7&from=2026-01-01')).toString()).toBe('by=day&range=7');
});
