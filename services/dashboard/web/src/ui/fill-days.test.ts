import { expect, test } from '@jest/globals';
import { fillDays, utcDays } from './fill-days';

const usageOf = (group: string, calls: number) => ({
  group,
  calls,
  errors: 0,
  input_tokens: 0,
  output_tokens: 0,
  images: 0,
  seconds: 0,
  cost: 0,
});

test('lists UTC days inclusively across the end of a month', () => {
  const days = utcDays(Date.parse('2026-02-27T23:59:59Z'), Date.parse('2026-03-01T00:00:00Z'));
  expect(days).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('inserts days without requests', () => {
  const filled = fillDays(
    [usageOf('2026-03-01', 2), usageOf('2026-02-27', 1)],
    ['2026-02-27', '2026-02-28', '2026-03-01'],
  );
  expect(filled.map(({ group, calls }) => [group, calls])).toEqual([
    ['2026-02-27', 1],
    ['2026-02-28', 0],
    ['2026-03-01', 2],
  ]);
});
