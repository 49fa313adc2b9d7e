import { describe, expect, test } from '@jest/globals';
import { formatMoney, formatMoneyExact } from './format-money';

describe('formatMoney', () => {
  test.each([
    [0, '$0.00'],
    [-0, '$0.00'],
    [12.5, '$12.50'],
    [12.345678, '$12.3457'],
    [9.9957, '$9.9957'],
    [100.129, '$100.13'],
    [1234567.891, '$1,234,567.89'],
    [1, '$1.00'],
    [0.5, '$0.50'],
    [0.25, '$0.25'],
    [0.123456, '$0.123'],
    [0.0042, '$0.0042'],
    [0.000123, '$0.000123'],
    [0.0001234, '$0.000123'],
    [0.000000001, '$0.000000001'],
    [-3, '-$3.00'],
    [-0.000123, '-$0.000123'],
  ])('formats %p as %s', (usd, text) => {
    expect(formatMoney(usd)).toBe(text);
  });

  test.each([
    [12.345678901, '$12.345678901'],
    [0.000000001, '$0.000000001'],
    [2, '$2.00'],
  ])('formats %p exactly as %s', (usd, text) => {
    expect(formatMoneyExact(usd)).toBe(text);
  });
});
