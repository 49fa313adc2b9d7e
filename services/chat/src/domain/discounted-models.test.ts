import { expect, test } from '@jest/globals';
import { discountedModels } from './discounted-models';
import type { Model } from './model';

const price = {
  inputNano: 1_000n,
  outputNano: 4_001n,
  cacheReadNano: 100n,
  audioInputNano: 32_001n,
  audioOutputNano: 64_000n,
  longContext: { aboveTokens: 200_000, price: { inputNano: 2_000n, outputNano: 6_000n } },
  unitNano: new Map([['web_search', 10_000_000n]]),
};
const model = {
  slug: 'sim/chat',
  pricing: { version: 3n, base: price, serviceTiers: new Map([['flex', price]]) },
} as Partial<Model> as Model;
const models = { loaded: true, get: (name: string) => (name === model.slug ? model : undefined) };

test('lowers every price of a model, rounded up, and keeps its version', () => {
  const { pricing } = discountedModels(models, 50).get('sim/chat') ?? {};
  const lowered = {
    inputNano: 500n,
    outputNano: 2_001n,
    cacheReadNano: 50n,
    audioInputNano: 16_001n,
    audioOutputNano: 32_000n,
    longContext: { aboveTokens: 200_000, price: { inputNano: 1_000n, outputNano: 3_000n } },
    unitNano: new Map([['web_search', 5_000_000n]]),
  };
  expect(pricing).toEqual({ version: 3n, base: lowered, serviceTiers: new Map([['flex', lowered]]) });
});

test('returns the same object for a model until the catalog has another one, and none for an unknown name', () => {
  const discounted = discountedModels(models, 50);
  expect(discounted.get('sim/chat')).toBe(discounted.get('sim/chat'));
  expect(discounted.get('sim/other')).toBeUndefined();
});

test('without a discount the models are the same', () => {
  expect(discountedModels(models, 0)).toBe(models);
});
