import { expect, test } from '@jest/globals';
import { priceChanges } from './price-changes';

test('only what costs otherwise is told, with what is sold anew and no more', () => {
  const before = {
    tokens: { input: 1, output: 4, cache_read: 0.1, service_tiers: { flex: { input: 0.5 } } },
    image: { per_image: [{ size: '1024x1024', quality: 'low', price: 0.01 }] },
  };
  const after = {
    tokens: { input: 1, output: 5, service_tiers: { flex: { input: 0.6 } } },
    image: { per_image: [{ size: '1024x1024', quality: 'low', price: 0.01 }] },
    video: { tiers: ['std'], default_tier: null, per_second: { std: 0.2 } },
  };
  expect(priceChanges(before, after)).toEqual([
    { what: 'output', before: 4, after: 5 },
    { what: 'cache read', before: 0.1, after: undefined },
    { what: 'flex, input', before: 0.5, after: 0.6 },
    { what: 'second of std', before: undefined, after: 0.2 },
  ]);
  expect(priceChanges(after, after)).toEqual([]);
  expect(priceChanges(null, { tokens: { input: 1, service_tiers: {} } })).toHaveLength(1);
});

test('another tier for calls that name none is another price of theirs', () => {
  const video = (default_tier: string) => ({
    video: { tiers: ['std', 'pro'], default_tier, per_second: { std: 0.2, pro: 0.5 } },
  });
  expect(priceChanges(video('std'), video('pro'))).toEqual([
    { what: 'second where no tier is named', before: 0.2, after: 0.5 },
  ]);
});
