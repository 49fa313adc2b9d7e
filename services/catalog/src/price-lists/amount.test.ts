import { describe, expect, test } from '@jest/globals';
import { nanoPerMillion } from './amount';

describe('nanoPerMillion', () => {
  test.each([
    [0, 0n],
    [-0, 0n],
    [3, 3_000_000_000n],
    [0.075, 75_000_000n],
    [0.1, 100_000_000n],
    [1e-9, 1n],
    [999_999_999, 999_999_999_000_000_000n],
  ])('converts %p USD per million tokens exactly', (usd, nano) =>
    expect(nanoPerMillion(usd, 'usdPerMillion')).toBe(nano),
  );

  test.each([
    [2.5e-6, 2_500_000_000n],
    [0.000003, 3_000_000_000n],
    [7.5e-8, 75_000_000n],
    [1.999998e-5, 19_999_980_000n],
    [1e-15, 1n],
    [0.0001, 100_000_000_000n],
  ])('converts %p USD per token exactly', (usd, nano) =>
    expect(nanoPerMillion(usd, 'usdPerToken')).toBe(nano),
  );

  test.each([
    [1e-10, 'usdPerMillion', 1n],
    [0.0000000011, 'usdPerMillion', 2n],
    [1.1e-15, 'usdPerToken', 2n],
    [5e-324, 'usdPerToken', 1n],
    [1.3200000000000002e-7, 'usdPerToken', 132_000_001n],
    [9.499999999999999e-7, 'usdPerToken', 950_000_000n],
  ] as const)('rounds %p %s up to a nano-USD per million tokens', (usd, unit, nano) =>
    expect(nanoPerMillion(usd, unit)).toBe(nano),
  );

  test.each([-1, -1e-9, Number.NaN, Number.POSITIVE_INFINITY, 1e9, 1e308, '1', 'NaN', null, true, [1], {}])(
    'refuses %p as an amount',
    (amount) => expect(nanoPerMillion(amount, 'usdPerMillion')).toBeUndefined(),
  );

  test('refuses a price per token that exceeds the largest amount of the catalog', () => {
    expect(nanoPerMillion(999, 'usdPerToken')).toBe(999_000_000_000_000_000n);
    expect(nanoPerMillion(1_000, 'usdPerToken')).toBeUndefined();
  });
});
