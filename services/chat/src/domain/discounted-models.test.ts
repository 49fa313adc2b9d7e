import { expect, test } from '@jest/globals';
import { discountedModels } from './discounted-models';
import type { Model } from './model';

const price = {
  input: 1_000n,
  output: 4_001n,
  cache_read: 100n,
  audio_input: 32_001n,
  audio_output: 64_000n,
  long_context: { above_tokens: 200_000, input: 2_000n, output: 6_000n },
  units: { web_search: 10_000_000n },
};
const model = {
  slug: 'sim/chat',
  pricing: { version: 3n, base: price, serviceTiers: new Map([['flex', price]]) },
} as Partial<Model> as Model;
const models = { loaded: true, get: (name: string) => (name === model.slug ? model : undefined) };

test('lowers every price of a model, rounded up, and keeps its version', () => {
  const { pricing } = discountedModels(models, 50).get('sim/chat') ?? {};
  const lowered = {
    input: 500n,
    output: 2_001n,
    cache_read: 50n,
    audio_input: 16_001n,
    audio_output: 32_000n,
    long_context: { above_tokens: 200_000, input: 1_000n, output: 3_000n },
    units: { web_search: 5_000_000n },
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
