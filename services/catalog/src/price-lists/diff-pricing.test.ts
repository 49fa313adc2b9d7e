import { describe, expect, test } from '@jest/globals';
import { diffPricing } from './diff-pricing';
import { pricingOf } from './price-list.fixture';

const current = pricingOf(
  { input: 2_500_000_000n, output: 10_000_000_000n, cache_read: 250_000_000n },
  {
    service_tiers: { flex: { input: 1n }, gone: { input: 5_000_000_000n } },
    long_context: { above_tokens: 200_000, input: 5_000_000_000n },
  },
);

describe('diffPricing', () => {
  test('returns nothing for equal prices', () => {
    expect(diffPricing(current, structuredClone(current))).toEqual([]);
  });

  test('returns each changed, added and removed price as decimals', () => {
    const next = pricingOf(
      { input: 3_000_000_000n, output: 10_000_000_000n, cache_write: 3_750_000_000n },
      {
        service_tiers: { flex: { input: 2n } },
        long_context: { above_tokens: 272_000, input: 5_000_000_000n, output: 0n },
      },
    );
    expect(diffPricing(current, next)).toEqual([
      { path: 'tokens.input', from: '2.5', to: '3' },
      { path: 'tokens.cache_write', from: null, to: '3.75' },
      { path: 'tokens.long_context.above_tokens', from: '200000', to: '272000' },
      { path: 'tokens.long_context.output', from: null, to: '0' },
      { path: 'tokens.service_tiers.flex.input', from: '0.000000001', to: '0.000000002' },
      { path: 'tokens.cache_read', from: '0.25', to: null },
      { path: 'tokens.service_tiers.gone.input', from: '5', to: null },
    ]);
  });

  test('returns every price of a model without a current one', () => {
    const next = pricingOf({ input: 1_000_000_000n, cache_write_1h: 2_000_000_000n });
    expect(diffPricing(undefined, next)).toEqual([
      { path: 'tokens.input', from: null, to: '1' },
      { path: 'tokens.cache_write_1h', from: null, to: '2' },
    ]);
  });
});
