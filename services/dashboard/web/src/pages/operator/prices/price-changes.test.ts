import { expect, test } from '@jest/globals';
import { pointOut, priceChanges } from './price-changes';

test('lists only changed, added and removed prices', () => {
  const before = {
    tokens: { input: 1, output: 4, cache_read: 0.1, service_tiers: { flex: { input: 0.5 } } },
    image: { per_image: [{ size: '1024x1024', quality: 'low', price: 0.01 }] },
  };
  const after = {
    tokens: {
      input: 1,
      output: 5,
      service_tiers: { flex: { input: 0.6 } },
      units: { web_search_prompt: 0.035 },
    },
    image: { per_image: [{ size: '1024x1024', quality: 'low', price: 0.01 }] },
    video: { tiers: ['std'], default_tier: null, per_second: { std: 0.2 } },
  };
  const unit = 'per million tokens';
  expect(priceChanges(before, after)).toEqual([
    { what: 'output', unit, before: 4, after: 5 },
    { what: 'cache read', unit, before: 0.1, after: undefined },
    { what: 'flex, input', unit, before: 0.5, after: 0.6 },
    { what: 'prompt with web search', unit: 'per use', before: undefined, after: 0.035 },
    { what: 'video, std', unit: 'per second', before: undefined, after: 0.2 },
  ]);
  expect(priceChanges(after, after)).toEqual([]);
  expect(priceChanges(null, { tokens: { input: 1, service_tiers: {} } })).toHaveLength(1);
});

test('lists a changed default tier as a price change', () => {
  const video = (default_tier: string) => ({
    video: { tiers: ['std', 'pro'], default_tier, per_second: { std: 0.2, pro: 0.5 } },
  });
  expect(priceChanges(video('std'), video('pro'))).toEqual([
    { what: 'video, default tier', unit: 'per second', before: 0.2, after: 0.5 },
  ]);
});

test.each([
  [2.5, 0.0000025, '1,000,000 times less'],
  [2.5, 12.5, '5 times more'],
  [1, 7.25, '7.3 times more'],
  [2.5, 10, undefined],
  [2.5, 0, 'free of charge'],
  [undefined, 0, 'free of charge'],
  [0, 2.5, 'no longer free'],
  [undefined, 2.5, undefined],
  [2.5, undefined, undefined],
])('describes a change from %p to %p as %p', (before, after, words) => {
  expect(pointOut({ what: 'input', unit: 'per million tokens', before, after })).toBe(words);
});
