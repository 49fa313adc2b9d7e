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
  streamed: false,
  hints: {},
  unsupportedFields: [],
  edit: false,
  images: [],
  ...fields,
});
const IMAGE = uploadOf('image', 'a');

test("omitted parameters get the catalog's defaults", () => {
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

test('a model without options gets no size, quality or format', () => {
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

describe('image sizes', () => {
  const fits = (width: number, height: number) =>
    expect(() => fitImageOrder(request({ size: { width, height } }), FEATURES));
  test('within the size rule are accepted', () => {
    fits(1_536, 864).not.toThrow();
    fits(3_840, 2_160).not.toThrow();
    fits(256, 256).not.toThrow();
    fits(1_536, 512).not.toThrow();
  });
  test.each([
    ['that are not a multiple of the step', 1_000, 1_000],
    ['above the longest edge', 3_856, 2_000],
    ['above the most pixels', 3_840, 2_176],
    ['below the fewest pixels', 240, 240],
    ['above the aspect ratio', 1_552, 512],
  ])('%s are rejected', (_why, width, height) => {
    fits(width, height).toThrow(
      expect.objectContaining({ code: 'image_generation_failed', shouldRetry: false }),
    );
  });
  test('without a size rule only listed sizes are accepted', () => {
    const { sizeRule: _rule, ...listed } = FEATURES;
    const fit = (width: number) => fitImageOrder(request({ size: { width, height: 1_024 } }), listed);
    expect(() => fit(1_536)).not.toThrow();
    expect(() => fit(1_552)).toThrow(expect.objectContaining({ code: 'image_generation_failed' }));
  });
});

test.each<[string, Partial<ImageRequest>, Partial<ImageFeatures>]>([
  ['an unknown quality', { quality: 'max' }, {}],
  ['an unknown format', { format: 'gif' }, {}],
  ['a transparent background', { background: 'transparent' }, { transparent: false }],
  ['a transparent JPEG', { background: 'transparent', format: 'jpeg' }, {}],
  ['compression of a PNG', { compression: 50 }, {}],
  ['n above the maximum', { n: 11 }, {}],
  ['an unsupported field', { unsupportedFields: ['style'] }, {}],
  ['an edit', { edit: true, images: [IMAGE] }, { maxInputImages: 0 }],
  ['more input images than the maximum', { edit: true, images: [IMAGE, IMAGE] }, { maxInputImages: 1 }],
  ['a mask', { edit: true, images: [IMAGE], mask: IMAGE }, { mask: false }],
])('%s is rejected as unsupported', (_what, fields, features) => {
  expect(() => fitImageOrder(request(fields), { ...FEATURES, ...features })).toThrow(
    expect.objectContaining({ code: 'image_generation_failed', shouldRetry: false }),
  );
});

test("a prompt longer than the model's limit is rejected as invalid_request", () => {
  expect(() => fitImageOrder(request({ prompt: 'x'.repeat(32_001) }), FEATURES)).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
});

test('compression is sent only for formats that have it', () => {
  expect(fitImageOrder(request({ compression: 50, format: 'jpeg' }), FEATURES).compression).toBe(50);
  expect(fitImageOrder(request({ compression: 100 }), FEATURES)).not.toHaveProperty('compression');
});
