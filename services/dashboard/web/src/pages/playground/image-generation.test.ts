import { expect, test } from '@jest/globals';
import type { ImageFeatures } from '../../api/models';
import { type ImageGeneration, identityOf, toFile, toImageFields, toShownImage } from './image-generation';

const values = { prompt: 'A cat', size: '1024x1024', quality: 'high', n: 3 };
const features = (more: object) =>
  ({ sizes: ['1024x1024'], qualities: ['low', 'high'], max_n: 10, ...more }) as unknown as ImageFeatures;

test('sends values that the model supports', () => {
  expect(toImageFields(values, features({}))).toEqual(values);
});

test('omits values that the model does not support', () => {
  expect(toImageFields(values, features({ sizes: [], qualities: [], max_n: 1 }))).toEqual({
    prompt: 'A cat',
    n: 1,
  });
  expect(toImageFields({ ...values, n: 1 }, null)).toEqual({ prompt: 'A cat' });
});

test('detects images by their first bytes', () => {
  expect(toShownImage({ b64_json: '/9j/4AAQ' })).toEqual({
    src: 'data:image/jpeg;base64,/9j/4AAQ',
    extension: 'jpeg',
  });
  expect(toShownImage({ b64_json: 'iVBORw0KGgo' })?.extension).toBe('png');
});

test('accepts only http and https URLs of images', () => {
  expect(toShownImage({ url: 'https://example.com/a' })?.src).toBe('https://example.com/a');
  expect(toShownImage({ url: 'javascript:alert(1)' })).toBeUndefined();
  expect(toShownImage({ url: 'data:text/html,x' })).toBeUndefined();
  expect(toShownImage({})).toBeUndefined();
});

test('a generated image can be edited, unless it is a link', async () => {
  const file = toFile({ src: 'data:image/png;base64,iVBORw0KGgo=', extension: 'png' }, 'image-1');
  expect([file?.name, file?.type]).toEqual(['image-1.png', 'image/png']);
  expect(Buffer.from(await file!.arrayBuffer()).toString('base64')).toBe('iVBORw0KGgo=');
  expect(toFile({ src: 'https://example.com/a', extension: 'png' }, 'image-1')).toBeUndefined();
});

test('different files make a different request', () => {
  const generation = (...ids: string[]) =>
    JSON.stringify(
      identityOf({
        request: { prompt: 'x' },
        images: ids.map((id) => ({ id })),
      } as unknown as ImageGeneration),
    );
  expect(generation('a', 'b')).toBe(generation('a', 'b'));
  expect(new Set([generation(), generation('a'), generation('b'), generation('b', 'a')]).size).toBe(4);
});
