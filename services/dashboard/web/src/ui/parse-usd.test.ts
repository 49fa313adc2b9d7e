import { expect, test } from '@jest/globals';
import { parseUsd } from './parse-usd';

test.each([
  ['12.50', 12.5],
  [' 3 ', 3],
  ['$1,000', 1_000],
  ['1,234,567.000000001', 1_234_567.000000001],
  ['-$2.5', -2.5],
  ['0.000000001', 1e-9],
  ['0', 0],
])('parses %p as %p USD', (text, usd) => {
  expect(parseUsd(text)).toBe(usd);
});

test.each([
  '',
  'ten',
  '12,50',
  '0,500',
  '0,001.5',
  '1.0000000001',
  '1e3',
  '.5',
  '5.',
  '--1',
  '1,00,000',
  '12 50',
])('refuses the amount %p', (text) => {
  expect(parseUsd(text)).toBeUndefined();
});
