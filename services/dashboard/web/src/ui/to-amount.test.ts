import { expect, test } from '@jest/globals';
import { toAmount } from './to-amount';

test('converts input to a number, or to null', () => {
  expect(toAmount(12.5)).toBe(12.5);
  expect(toAmount(0)).toBe(0);
  expect(toAmount('1000000000000000000')).toBe(1e18);
  expect(toAmount('')).toBeNull();
  expect(toAmount('-')).toBeNull();
});
