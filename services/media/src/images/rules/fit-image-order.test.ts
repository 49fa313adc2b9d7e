import { describe, expect, test } from '@jest/globals';
import type { ImageFeatures } from '../../domain/model';
import { uploadOf } from '../../domain/upload.fixture';
import { fitImageOrder } from './fit-image-order';
import { FEATURES } from './image-order.fixture';
import type { ImageRequest } from './image-request';

const request = (fields: Partial<ImageRequest> = {}): ImageRequest => ({
  model: 'sim/image',
  prompt: 'a cat',
  n: 1,
  hints: {},
  unsupportedFields: [],
  edit: false,
  images: [],
  ...fields,
});
const IMAGE = uploadOf('image', 'a');

test('what a caller leaves open is the catalog’s', () => {
  expect(fitImageOrder(request(), FEATURES)).toEqual({
    prompt: 'a cat',
    n: 1,
    hints: {},
    acceptsLinks: false,
    images: [],
    size: { width: 1_024, height: 1_024 },
    quality: 'medium',
    format: 'png',
  });
});

test('a model without choices gets none', () => {
  const none: ImageFeatures = {
    ...FEATURES,
    sizes: [],
    defaultSize: '',
    qualities: [],
    defaultQuality: '',
    formats: [],
    transparent: false,
  };
  const { size, quality, format } = fitImageOrder(request({ background: 'opaque' }), none);
  expect([size, quality, format]).toEqual([undefined, undefined, undefined]);
});

describe('sizes by rule', () => {
  const fits = (width: number, height: number) =>
    expect(() => fitImageOrder(request({ size: { width, height } }), FEATURES));
  test('those within it', () => {
    fits(1_536, 864).not.toThrow();
    fits(3_840, 2_160).not.toThrow();
    fits(256, 256).not.toThrow();
    fits(1_536, 512).not.toThrow();
  });
  test.each([
    ['off the step', 1_000, 1_000],
    ['beyond the longest edge', 3_856, 2_000],
    ['beyond the most pixels', 3_840, 2_176],
    ['below the least', 240, 240],
    ['too long for its breadth', 1_552, 512],
  ])('%s', (_why, width, height) => {
    fits(width, height).toThrow(
      expect.objectContaining({ code: 'image_generation_failed', shouldRetry: false }),
    );
  });
  test('without a rule those listed', () => {
    const { sizeRule: _rule, ...listed } = FEATURES;
    const fit = (width: number) => fitImageOrder(request({ size: { width, height: 1_024 } }), listed);
    expect(() => fit(1_536)).not.toThrow();
    expect(() => fit(1_552)).toThrow(expect.objectContaining({ code: 'image_generation_failed' }));
  });
});

test.each<[string, Partial<ImageRequest>, Partial<ImageFeatures>]>([
  ['a quality', { quality: 'max' }, {}],
  ['a format', { format: 'gif' }, {}],
  ['a background', { background: 'transparent' }, { transparent: false }],
  ['a transparent JPEG', { background: 'transparent', format: 'jpeg' }, {}],
  ['compression of a PNG', { compression: 50 }, {}],
  ['so many', { n: 11 }, {}],
  ['a field', { unsupportedFields: ['style'] }, {}],
  ['edits', { edit: true, images: [IMAGE] }, { maxInputImages: 0 }],
  ['so many to edit', { edit: true, images: [IMAGE, IMAGE] }, { maxInputImages: 1 }],
  ['a mask', { edit: true, images: [IMAGE], mask: IMAGE }, { mask: false }],
])('%s that the model does not offer', (_what, fields, features) => {
  expect(() => fitImageOrder(request(fields), { ...FEATURES, ...features })).toThrow(
    expect.objectContaining({ code: 'image_generation_failed', shouldRetry: false }),
  );
});

test('a prompt longer than the model reads is the caller’s mistake', () => {
  expect(() => fitImageOrder(request({ prompt: 'x'.repeat(32_001) }), FEATURES)).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
});

test('compression goes along where it means something', () => {
  expect(fitImageOrder(request({ compression: 50, format: 'jpeg' }), FEATURES).compression).toBe(50);
  expect(fitImageOrder(request({ compression: 100 }), FEATURES)).not.toHaveProperty('compression');
});
