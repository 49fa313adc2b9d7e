import { expect, test } from '@jest/globals';
import { readFilter, toParams, toQuery } from './request-filter';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const read = (search: string) => readFilter(new URLSearchParams(search));

test('the URL contains only filters that are set', () => {
  const search = 'range=7d&key_id=k-1&model=sim%2Fchat&status=failed';
  expect(toParams(read(`${search}&other=1`)).toString()).toBe(search);
});

test('custom times are dropped when another range is selected', () => {
  expect(toParams(read('range=1h&from=2026-11-20T10:00')).toString()).toBe('range=1h');
});

test('a relative range ends now', () => {
  expect(toQuery(read('range=1h'), NOW_MS)).toMatchObject({ from: '2026-11-21T11:00:00.000Z' });
  expect(toQuery(read(''), NOW_MS).from).toBeUndefined();
  expect(toQuery(read('range=nonsense'), NOW_MS).from).toBeUndefined();
});

test('custom times are local, and either may be missing', () => {
  const { from, to } = toQuery(read('range=custom&from=2026-11-20T10:00'), NOW_MS);
  expect(from).toBe(new Date('2026-11-20T10:00').toISOString());
  expect(to).toBeUndefined();
});
