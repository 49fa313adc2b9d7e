import { ModelNotAllowed } from '@gateway/models';
import { expect, test } from '@jest/globals';
import type { Model } from '../../domain/model';
import { resolveImageModel } from './image-model';
import { FEATURES } from './image-order.fixture';

const model = (slug: string, fields: Partial<Model> = {}): Model => ({
  slug,
  active: true,
  preview: false,
  outputModalities: ['image'],
  workflow: [],
  targets: [],
  strategy: 'weighted',
  priceVersion: 1n,
  image: { features: FEATURES, pricing: { per_image: [] } },
  ...fields,
});
const { image: _image, ...unpriced } = model('sim/unpriced');
const models = new Map(
  [
    model('sim/image'),
    model('sim/chat', { outputModalities: ['text'] }),
    unpriced,
    model('sim/removed', { active: false }),
    model('sim/preview', { preview: true }),
  ].map((entry) => [entry.slug, entry]),
);
const resolve = (slug: string, access = { allowedModels: [] as string[], previewModels: [] as string[] }) =>
  resolveImageModel(models, (name) => name === 'sim', slug, access);

test('resolves an image model, and a preview model after the opt-in', () => {
  expect(resolve('sim/image').model.slug).toBe('sim/image');
  expect(resolve('sim/preview', { allowedModels: [], previewModels: ['sim/preview'] }).model.slug).toBe(
    'sim/preview',
  );
});

test.each([
  ['dall-e-3', 'invalid_model'],
  ['auto', 'invalid_model'],
  ['default', 'invalid_model'],
  ['none', 'invalid_model'],
  ['nobody', 'image_model_not_found'],
  ['white-cliff-labs', 'image_model_not_found'],
  ['sim/', 'invalid_model'],
  ['Sim/Image', 'invalid_model'],
  [' sim/image', 'invalid_model'],
  ['sim/image/x', 'invalid_model'],
  ['sim', 'image_model_not_found'],
  ['sim/chat', 'image_model_not_found'],
  ['sim/unpriced', 'image_model_not_found'],
  ['sim/removed', 'image_model_not_found'],
  ['sim/never', 'model_not_found'],
  ['other/image', 'model_not_found'],
])('the model %p fails with %s', (slug, code) => {
  expect(() => resolve(slug)).toThrow(expect.objectContaining({ code }));
});

test('a model that the key may not call fails with ModelNotAllowed, whatever else is wrong with it', () => {
  expect(() => resolve('sim/preview')).toThrow(ModelNotAllowed);
  const onlyChat = { allowedModels: ['sim/chat'], previewModels: [] };
  // The error does not reveal other properties of the model.
  for (const slug of ['sim/image', 'sim/unpriced', 'sim/removed']) {
    expect(() => resolve(slug, onlyChat)).toThrow(ModelNotAllowed);
  }
});

test('a bare name resolves to a model before a provider, if the key allows bare names', () => {
  const named = new Map([...models, ['sim', models.get('sim/image')!]]);
  const resolveBare = (bareModelNames: boolean) => () =>
    resolveImageModel(named, (name) => name === 'sim', 'sim', {
      allowedModels: [],
      previewModels: [],
      bareModelNames,
    });
  expect(resolveBare(true)().model.slug).toBe('sim/image');
  expect(resolveBare(false)).toThrow(expect.objectContaining({ code: 'invalid_model' }));
});
