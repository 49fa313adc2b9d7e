import { expect, test } from '@jest/globals';
import type { ImageFeatures } from '../../api/models';
import { toImageFields, toShownImage } from './image-order';

const order = { prompt: 'A cat', size: '1024x1024', quality: 'high', n: 3 };
const features = (more: object) =>
  ({ sizes: ['1024x1024'], qualities: ['low', 'high'], max_n: 10, ...more }) as unknown as ImageFeatures;

test('what the model offers is named', () => {
  expect(toImageFields(order, features({}))).toEqual(order);
});

test('what it has no choice of is left out', () => {
  expect(toImageFields(order, features({ sizes: [], qualities: [], max_n: 1 }))).toEqual({
    prompt: 'A cat',
    n: 1,
  });
  expect(toImageFields({ ...order, n: 1 }, null)).toEqual({ prompt: 'A cat' });
});

test('pictures are known by their first bytes', () => {
  expect(toShownImage({ b64_json: '/9j/4AAQ' })).toEqual({
    src: 'data:image/jpeg;base64,/9j/4AAQ',
    extension: 'jpeg',
  });
  expect(toShownImage({ b64_json: 'iVBORw0KGgo' })?.extension).toBe('png');
});

test('links are those of the web', () => {
  expect(toShownImage({ url: 'https://example.com/a' })?.src).toBe('https://example.com/a');
  expect(toShownImage({ url: 'javascript:alert(1)' })).toBeUndefined();
  expect(toShownImage({ url: 'data:text/html,x' })).toBeUndefined();
  expect(toShownImage({})).toBeUndefined();
});
