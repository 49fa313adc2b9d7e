import { describe, expect, test } from '@jest/globals';
import { pricingOf, ratesOf } from './price-list.fixture';
import { withMarkup } from './with-markup';

const full = {
  inputNano: 1_000_000_000n,
  outputNano: 3n,
  cacheReadNano: 1n,
  cacheWriteNano: 0n,
  cacheWriteLongNano: 200n,
};

describe('withMarkup', () => {
  test('adds the percentage to every price and rounds up to a nano-USD', () => {
    const cost = pricingOf(full, {
      serviceTiers: { flex: ratesOf({ inputNano: 10n, outputNano: 7n }) },
      longContext: { aboveTokens: 200_000, ...ratesOf({ inputNano: 80n }) },
    });
    expect(withMarkup(cost, '12.5')).toEqual(
      pricingOf(
        {
          inputNano: 1_125_000_000n,
          outputNano: 4n,
          cacheReadNano: 2n,
          cacheWriteNano: 0n,
          cacheWriteLongNano: 225n,
        },
        {
          serviceTiers: { flex: ratesOf({ inputNano: 12n, outputNano: 8n }) },
          longContext: { aboveTokens: 200_000, ...ratesOf({ inputNano: 90n }) },
        },
      ),
    );
  });

  test.each([
    ['0', 1_000_000_000n],
    ['0.000000001', 1_000_000_001n],
    ['0.1', 1_001_000_000n],
    ['33.333333333', 1_333_333_334n],
    ['10000', 101_000_000_000n],
  ])('sells a cost of 1 USD at a markup of %s percent for %d nano-USD', (markup, nano) =>
    expect(withMarkup(pricingOf({ inputNano: 1_000_000_000n }), markup).inputNano).toBe(nano),
  );

  test('keeps the prices exactly without a markup', () => {
    expect(withMarkup(pricingOf(full), '0')).toEqual(pricingOf(full));
  });

  test.each([
    '',
    '-1',
    '+1',
    '1e2',
    'NaN',
    '12,5',
    '1%',
    ' 1',
    '0.0000000001',
    '10000.000000001',
    '99999999999',
  ])('refuses a markup of %p percent', (markup) => {
    expect(() => withMarkup(pricingOf(full), markup)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        detail: expect.stringContaining('markup_percent'),
      }),
    );
  });

  test('refuses a price above the largest amount of the catalog', () => {
    const most = pricingOf({ inputNano: 999_999_999_999_999_999n });
    expect(withMarkup(most, '0')).toEqual(most);
    expect(() => withMarkup(most, '1')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
