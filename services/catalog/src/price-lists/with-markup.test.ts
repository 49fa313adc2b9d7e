import { describe, expect, test } from '@jest/globals';
import { pricingOf } from './price-list.fixture';
import { withMarkup } from './with-markup';

const full = {
  input: 1_000_000_000n,
  output: 3n,
  cache_read: 1n,
  cache_write: 0n,
  cache_write_1h: 200n,
};

describe('withMarkup', () => {
  test('adds the percentage to every price and rounds up to a nano-USD', () => {
    const cost = pricingOf(full, {
      service_tiers: { flex: { input: 10n, output: 7n } },
      long_context: { above_tokens: 200_000, input: 80n },
    });
    expect(withMarkup(cost, '12.5')).toEqual(
      pricingOf(
        {
          input: 1_125_000_000n,
          output: 4n,
          cache_read: 2n,
          cache_write: 0n,
          cache_write_1h: 225n,
        },
        {
          service_tiers: { flex: { input: 12n, output: 8n } },
          long_context: { above_tokens: 200_000, input: 90n },
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
    expect(withMarkup(pricingOf({ input: 1_000_000_000n }), markup).input).toBe(nano),
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
    const most = pricingOf({ input: 999_999_999_999_999_999n });
    expect(withMarkup(most, '0')).toEqual(most);
    expect(() => withMarkup(most, '1')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
