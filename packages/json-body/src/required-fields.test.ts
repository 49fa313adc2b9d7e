import { expect, test } from '@jest/globals';
import { requireFields } from './required-fields';

test('the first required field that is absent, null or empty is missing', () => {
  for (const prompt of [undefined, null, '', []])
    expect(() => requireFields({ model: 'a/b', prompt, input: '' }, ['model', 'prompt', 'input'])).toThrow(
      expect.objectContaining({ code: 'missing_parameter', param: 'prompt' }),
    );
  for (const prompt of [' ', {}, 0, false, [null]])
    expect(() => requireFields({ model: 'a/b', prompt }, ['model', 'prompt'])).not.toThrow();
});

test('a model is missing only if it is absent', () => {
  expect(() => requireFields({ prompt: '' }, ['model', 'prompt'])).toThrow(
    expect.objectContaining({ code: 'missing_parameter', param: 'model' }),
  );
  for (const model of [null, '', []]) expect(() => requireFields({ model }, ['model'])).not.toThrow();
});
