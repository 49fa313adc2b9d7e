import { expect, test } from '@jest/globals';
import type { Model } from '../../api/models';
import { defaultModel } from './default-model';

const model = (slug: string, pricing: object, preview = false) =>
  ({ slug, pricing, preview }) as unknown as Model;
const usual = (...models: Model[]) => defaultModel(models)?.slug;

test('the default model is the cheapest of its type', () => {
  const chat = (slug: string, output: number, preview = false) =>
    model(slug, { tokens: { input: 1, output } }, preview);
  expect(usual(chat('a/dear', 50), chat('b/cheap', 2), chat('c/fair', 5))).toBe('b/cheap');
  const video = (slug: string, pro: number) => model(slug, { video: { per_second: { std: pro / 2, pro } } });
  expect(usual(video('a/dear', 1), video('b/cheap', 0.1))).toBe('b/cheap');
  const image = (slug: string, price: number) => model(slug, { image: { per_image: [{ price }] } });
  expect(usual(image('a/dear', 1), image('b/cheap', 0.1))).toBe('b/cheap');
});

test('the default model is not a preview model, unless there is no other model', () => {
  const chat = (slug: string, preview: boolean) => model(slug, { tokens: { input: 1, output: 1 } }, preview);
  expect(usual(chat('a/preview', true), chat('b/ready', false))).toBe('b/ready');
  expect(usual(chat('a/preview', true))).toBe('a/preview');
  expect(usual()).toBeUndefined();
});
