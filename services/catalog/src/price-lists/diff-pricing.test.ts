import { describe, expect, test } from '@jest/globals';
import { diffPricing } from './diff-pricing';
import { pricingOf, ratesOf } from './price-list.fixture';

const current = pricingOf(
  { inputNano: 2_500_000_000n, outputNano: 10_000_000_000n, cacheReadNano: 250_000_000n },
  {
    serviceTiers: { flex: ratesOf({ inputNano: 1n }), gone: ratesOf({ inputNano: 5_000_000_000n }) },
    longContext: { aboveTokens: 200_000, ...ratesOf({ inputNano: 5_000_000_000n }) },
  },
);

describe('diffPricing', () => {
  test('returns nothing for equal prices', () => {
    expect(diffPricing(current, structuredClone(current))).toEqual([]);
  });

  test('returns each changed, added and removed price as decimals', () => {
    const next = pricingOf(
      { inputNano: 3_000_000_000n, outputNano: 10_000_000_000n, cacheWriteNano: 3_750_000_000n },
      {
        serviceTiers: { flex: ratesOf({ inputNano: 2n }) },
        longContext: { aboveTokens: 272_000, ...ratesOf({ inputNano: 5_000_000_000n, outputNano: 0n }) },
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
    const next = pricingOf({ inputNano: 1_000_000_000n, cacheWriteLongNano: 2_000_000_000n });
    expect(diffPricing(undefined, next)).toEqual([
      { path: 'tokens.input', from: null, to: '1' },
      { path: 'tokens.cache_write_1h', from: null, to: '2' },
    ]);
  });
});
