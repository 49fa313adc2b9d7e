import { expect, test } from '@jest/globals';
import { withCredibleTokens } from './credible-tokens';
import type { ImageTokens } from './image-provider';

const IMAGE = { mime: 'image/png', base64: 'AAAA' };

test.each<[string, ImageTokens | undefined, boolean]>([
  ['of the prompt and the image', { textInput: 9, imageInput: 0, output: 1_290 }, true],
  ['of images sent and made', { textInput: 0, imageInput: 9, output: 1_290 }, true],
  ['of the prompt alone', { textInput: 9, imageInput: 0, output: 0 }, false],
  ['of the prompt and words', { textInput: 9, imageInput: 0, output: 0, textOutput: 50 }, false],
  ['of the image alone', { textInput: 0, imageInput: 0, output: 1_290 }, false],
  ['of nothing', { textInput: 0, imageInput: 0, output: 0 }, false],
  ['absent', undefined, false],
])('figures of an image that was made: %s', (_what, tokens, isKept) => {
  const result = { images: [IMAGE], revisedPrompt: 'a cat', ...(tokens && { tokens }) };
  expect(withCredibleTokens(result)).toEqual({
    images: [IMAGE],
    revisedPrompt: 'a cat',
    ...(isKept && { tokens }),
  });
});

test('where no image was made the prompt alone may cost', () => {
  const result = { images: [], tokens: { textInput: 9, imageInput: 0, output: 0 } };
  expect(withCredibleTokens(result)).toEqual(result);
});
