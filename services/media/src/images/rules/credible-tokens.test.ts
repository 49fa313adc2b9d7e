import { expect, test } from '@jest/globals';
import { withCredibleTokens } from './credible-tokens';
import type { ImageTokens } from './image-provider';

const IMAGE = { mime: 'image/png', base64: 'AAAA' };

test.each<[string, ImageTokens | undefined, boolean]>([
  ['prompt and output', { textInput: 9, imageInput: 0, output: 1_290 }, true],
  ['input images and output', { textInput: 0, imageInput: 9, output: 1_290 }, true],
  ['only a prompt', { textInput: 9, imageInput: 0, output: 0 }, false],
  ['a prompt and text output', { textInput: 9, imageInput: 0, output: 0, textOutput: 50 }, false],
  ['only output', { textInput: 0, imageInput: 0, output: 1_290 }, false],
  ['zeros', { textInput: 0, imageInput: 0, output: 0 }, false],
  ['no figures', undefined, false],
])('token figures of a generated image with %s: credible %s', (_what, tokens, isKept) => {
  const result = { images: [IMAGE], revisedPrompt: 'a cat', ...(tokens && { tokens }) };
  expect(withCredibleTokens(result)).toEqual({
    images: [IMAGE],
    revisedPrompt: 'a cat',
    ...(isKept && { tokens }),
  });
});

test('without an image, figures of only a prompt are credible', () => {
  const result = { images: [], tokens: { textInput: 9, imageInput: 0, output: 0 } };
  expect(withCredibleTokens(result)).toEqual(result);
});
