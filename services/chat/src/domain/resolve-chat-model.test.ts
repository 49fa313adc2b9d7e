import { expect, test } from '@jest/globals';
import { type Model, resolveChatModel } from './model';

const ACCESS = { allowedModels: [], previewModels: [] };

test.each([
  [true, 'sim/none', 'model_not_found'],
  [false, 'sim/none', 'internal_error'],
  [true, 'no slug', 'invalid_model'],
])('with a loaded catalog (%s), resolving %j fails with %s', (loaded, slug, code) => {
  const models = { loaded, get: () => undefined };
  expect(() => resolveChatModel(models, slug, ACCESS)).toThrow(expect.objectContaining({ code }));
});

test('an alias is allowed if the allowlist contains the slug of its model; another model is not found', () => {
  const model: Partial<Model> = {
    slug: 'sim/chat',
    active: true,
    preview: false,
    outputModalities: ['text'],
  };
  const models = {
    loaded: true,
    get: (name: string) => (name === 'sim/chat-2026' ? (model as Model) : undefined),
  };
  const resolve = (allowedModels: string[]) =>
    resolveChatModel(models, 'sim/chat-2026', { ...ACCESS, allowedModels });
  expect(resolve(['sim/chat'])).toBe(model);
  expect(() => resolve(['sim/other'])).toThrow(expect.objectContaining({ code: 'model_not_found' }));
});
