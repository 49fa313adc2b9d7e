import type { ListedPricing } from '@gateway/pricing';
import { expect, test } from '@jest/globals';
import { fromPricing, newSecondPrice, newTier, toPrices } from './prices-draft';

const PRICING: ListedPricing = {
  currency: 'USD',
  version: 3,
  source: 'a contract',
  source_date: '2026-11-01',
  tokens: {
    input: 0.000000001,
    output: 12.5,
    service_tiers: { priority: { input: 2 } },
    long_context: { above_tokens: 200_000, input: 4 },
    units: { web_search: 0.01 },
  },
  image: {
    per_image: [{ size: '1024x1024', quality: 'low', price: 0.01 }],
    text_input: 5,
    input_megapixel: 0.015,
  },
  video: { tiers: ['std', 'pro'], default_tier: 'std', per_second: { std: 0.1, pro: 0.25 } },
};
const empty = fromPricing(null);

test('prices are unchanged by a form without edits', () => {
  const { prices, problems } = toPrices(fromPricing(PRICING));
  const { currency, version, ...same } = PRICING;
  expect([...problems]).toEqual([]);
  expect(prices).toEqual(same);
});

test('a search has one price: by itself, or by its prompt', () => {
  const units = { web_search: '0.014', web_search_prompt: '0.035' };
  const problemsWith = (typed: object) => [...toPrices({ ...empty, units: typed as typeof units }).problems];
  expect(problemsWith(units)).toEqual([
    ['pricing.tokens.units.web_search_prompt', 'A search is priced by itself or by its prompt, not both.'],
  ]);
  expect(problemsWith({ ...units, web_search: '' })).toEqual([]);
});

test('small prices are shown without an exponent', () => {
  expect(fromPricing(PRICING).tokens.input).toBe('0.000000001');
});

test('omits empty parts, and reports a form without any price', () => {
  const some = toPrices({ ...empty, tokens: { input: '1', output: ' ' } });
  expect(some.prices).toEqual({ tokens: { input: 1, service_tiers: {}, units: {} } });
  expect([...toPrices(empty).problems.keys()]).toEqual(['pricing']);
});

test('reports an invalid price at its field', () => {
  const { problems } = toPrices({
    ...empty,
    tokens: { input: '-1', cache_read: '1,5' },
    longContext: { above: 'many', rates: {} },
    images: [{ id: 'a', size: '', quality: '', price: '' }],
    seconds: [{ ...newSecondPrice(), tier: 'std', price: 'x' }],
  });
  expect([...problems.keys()]).toEqual([
    'pricing.tokens.input',
    'pricing.tokens.cache_read',
    'pricing.tokens.long_context.above_tokens',
    'pricing.image.per_image.0.price',
    'pricing.video.per_second.std',
  ]);
});

test('reports missing and duplicate tier names', () => {
  const tiers = [
    { ...newTier(), id: 't' },
    { ...newTier(), name: 'flex' },
    { ...newTier(), id: 'u', name: 'flex ' },
  ];
  const seconds = [{ ...newSecondPrice(), id: 's', price: '1' }];
  expect([...toPrices({ ...empty, tiers, seconds }).problems.keys()]).toEqual([
    'tier t',
    'tier u',
    'second s',
  ]);
});

test('drops a default tier that no longer exists', () => {
  const seconds = [{ ...newSecondPrice(), tier: 'std', price: '1' }];
  const { prices } = toPrices({ ...empty, seconds, defaultTier: 'pro' });
  expect(prices.video?.default_tier).toBeNull();
});
