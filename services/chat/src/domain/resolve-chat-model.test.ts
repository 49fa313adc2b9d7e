import { expect, test } from '@jest/globals';
import { resolveChatModel } from './model';

const ACCESS = { allowedModels: [], previewModels: [] };

test.each([
  [true, 'sim/none', 'model_not_found'],
  [false, 'sim/none', 'internal_error'],
  [false, 'no slug', 'invalid_model'],
])('models known: %s, %j: %s', (loaded, slug, code) => {
  const models = { loaded, get: () => undefined };
  expect(() => resolveChatModel(models, slug, ACCESS)).toThrow(expect.objectContaining({ code }));
});
