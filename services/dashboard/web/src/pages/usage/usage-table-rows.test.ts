import { expect, test } from '@jest/globals';
import { type NamedUsage, toLines, totalOf } from './usage-table-rows';

const row = (name: string, cost: number, calls = 1): NamedUsage => ({
  id: name,
  name,
  group: name,
  calls,
  errors: 0,
  input_tokens: 10,
  output_tokens: 5,
  images: 0,
  seconds: 0,
  cost,
});

test('adds amounts of money exactly', () => {
  expect(totalOf([row('a', 0.1), row('b', 0.2)], 'cost')).toBe(0.3);
  expect(totalOf([row('a', 1, 2), row('b', 1, 3)], 'calls')).toBe(5);
});

test('the CSV file has a header, the rows and their total', () => {
  expect(toLines('Model', [row('a', 0.1), row('b', 0.2)])).toEqual([
    [
      'Model',
      'Requests',
      'Failed',
      'Input tokens',
      'Output tokens',
      'Images',
      'Video seconds',
      'Cost in USD',
    ],
    ['a', 1, 0, 10, 5, 0, 0, 0.1],
    ['b', 1, 0, 10, 5, 0, 0, 0.2],
    ['Total', 2, 0, 20, 10, 0, 0, 0.3],
  ]);
});
