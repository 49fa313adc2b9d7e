import type { ImagePricing } from '@gateway/pricing';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { ImageFeatures, ImageOffer } from '../../domain/model';
import type { MediaFile } from '../../domain/upload';
import { uploadOf } from '../../domain/upload.fixture';
import { anOrder, FEATURES } from './image-order.fixture';
import { boundOf, costOf, rateFor } from './image-price';
import type { ImageOrder, ImageTokens } from './image-provider';

const SQUARE = { width: 1_024, height: 1_024 };
const byToken: ImagePricing = {
  per_image: [],
  text_input: 5_000_000_000n,
  image_input: 10_000_000_000n,
  image_output: 40_000_000_000n,
};
const byImage: ImagePricing = {
  per_image: [
    { size: '1024x1024', quality: 'low', price: 10_000_000n },
    { size: '1024x1024', quality: '', price: 40_000_000n },
    { size: '', quality: 'high', price: 160_000_000n },
  ],
};
const offer = (pricing: ImagePricing, features: ImageFeatures = FEATURES): ImageOffer => ({
  pricing,
  features,
});
const order = (fields: Partial<ImageOrder> = {}) => anOrder({ size: SQUARE, quality: 'medium', ...fields });

describe('a price per image', () => {
  test.each([
    ['low', SQUARE, 10_000_000n],
    ['medium', SQUARE, 40_000_000n],
    ['high', SQUARE, 40_000_000n],
    ['high', { width: 1_536, height: 1_024 }, 160_000_000n],
  ])('of quality %s at %j is charged for each image', (quality, size, priceNano) => {
    const wanted = order({ quality, size, n: 3 });
    const rate = rateFor(wanted, offer(byImage));
    expect(boundOf(wanted, rate)).toEqual({ promptTokens: 0, outputTokens: 0, costNano: 3n * priceNano });
    expect(costOf(wanted, rate, { images: 2 })).toBe(2n * priceNano);
  });

  test('is charged for at most the ordered images, and not without images', () => {
    const rate = rateFor(order(), offer(byImage));
    expect(costOf(order(), rate, { images: 5 })).toBe(40_000_000n);
    expect(costOf(order(), rate, { images: 0 })).toBe(0n);
  });

  test('that is missing for a combination rejects the order', () => {
    const odd = order({ quality: 'low', size: { width: 1_536, height: 1_024 } });
    expect(() => rateFor(odd, offer(byImage))).toThrow(
      expect.objectContaining({ code: 'image_generation_failed', shouldRetry: false }),
    );
  });
});

test('a partial image is reserved at 100 tokens, and charged as the provider counts', () => {
  const withPartial = order({ partialImages: 3 });
  const [rate, plain] = [rateFor(withPartial, offer(byToken)), rateFor(order(), offer(byToken))];
  const bound = boundOf(withPartial, rate);
  expect(bound.outputTokens).toBe(boundOf(order(), plain).outputTokens + 300);
  expect(bound.costNano - boundOf(order(), plain).costNano).toBe((300n * byToken.image_output!) / 1_000_000n);
  const tokens = { textInput: 0, imageInput: 0, output: 1_156 };
  expect(costOf(withPartial, rate, { images: 1, tokens })).toBe(
    (1_156n * byToken.image_output!) / 1_000_000n,
  );
});

describe('a price per image and input megapixel', () => {
  const pricing: ImagePricing = {
    per_image: [{ size: '', quality: '', price: 30_000_000n }],
    input_megapixel: 15_000_000n,
  };
  const MEGAPIXEL = 1_024 * 1_024;
  const sent = (pixels?: number) => uploadOf('image', 'a', 'png', pixels);
  const edit = (...images: MediaFile[]) => order({ images });

  test.each<[string, MediaFile[], bigint]>([
    ['no input', [], 30_000_000n],
    ['one input image of one megapixel', [sent(MEGAPIXEL)], 45_000_000n],
    ['one pixel more, which counts as another megapixel', [sent(MEGAPIXEL + 1)], 60_000_000n],
    ['several input images, each rounded up', [sent(1), sent(1), sent(4 * MEGAPIXEL)], 120_000_000n],
  ])('with %s', (_what, images, costNano) => {
    const wanted = edit(...images);
    const rate = rateFor(wanted, offer(pricing));
    expect(boundOf(wanted, rate)).toEqual({ promptTokens: 0, outputTokens: 0, costNano });
    expect(costOf(wanted, rate, { images: 1 })).toBe(costNano);
    expect(costOf(wanted, rate, { images: 0, inputMegapixels: 9 })).toBe(0n);
  });

  test('counts a mask as input', () => {
    const wanted = order({ images: [sent(1)], mask: sent(2 * MEGAPIXEL) });
    expect(boundOf(wanted, rateFor(wanted, offer(pricing))).costNano).toBe(75_000_000n);
  });

  test.each([
    [0, 30_000_000n],
    [1.2, 60_000_000n],
    [3, 75_000_000n],
    [500, 75_000_000n],
  ])('charges the %d megapixels that the provider counted, at most the hold', (inputMegapixels, costNano) => {
    const wanted = edit(sent(3 * MEGAPIXEL));
    const rate = rateFor(wanted, offer(pricing));
    expect(costOf(wanted, rate, { images: 1, inputMegapixels })).toBe(costNano);
  });

  test.each([[undefined], [2 ** 30 + 1]])('rejects an input image of %j pixels', (pixels) => {
    expect(() => rateFor(edit(sent(pixels)), offer(pricing))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    // Other prices do not depend on the size.
    expect(rateFor(edit(sent(pixels)), offer(byImage)).by).toBe('image');
  });
});

describe('a price per token', () => {
  test('is rounded up once', () => {
    const odd: ImagePricing = { ...byToken, text_input: 333_333n, image_output: 1n };
    const rate = rateFor(order(), offer(odd));
    // 7 × 333333 + 1056 = 2334387 millionths.
    expect(costOf(order(), rate, { images: 1, tokens: { textInput: 7, imageInput: 0, output: 1_056 } })).toBe(
      3n,
    );
  });

  test('charges each kind of token as the provider counted it', () => {
    const rate = rateFor(order(), offer({ ...byToken, text_output: 12_000_000_000n }));
    const tokens = { textInput: 10, imageInput: 100, output: 1_000, textOutput: 10_000 };
    expect(costOf(order(), rate, { images: 1, tokens })).toBe(
      50_000n + 1_000_000n + 40_000_000n + 120_000_000n,
    );
  });

  test('without counted tokens is the maximum for that many images', () => {
    const wanted = order({ n: 4 });
    const rate = rateFor(wanted, offer(byToken));
    expect(costOf(wanted, rate, { images: 4 })).toBe(boundOf(wanted, rate).costNano);
    const ofOne = BigInt(1_056 * 40_000);
    expect(costOf(wanted, rate, { images: 4 }) - costOf(wanted, rate, { images: 3 })).toBe(ofOne);
    expect(costOf(wanted, rate, { images: 0 })).toBe(0n);
  });

  test.each<[string, Partial<ImageFeatures>, Partial<ImageOrder>, ImagePricing]>([
    ['an output of unknown tokens', { outputTokens: [] }, {}, byToken],
    [
      'input images of unknown tokens',
      { maxInputImageTokens: 0 },
      { images: [uploadOf('image', 'a')] },
      byToken,
    ],
    ['a model without any price', {}, {}, { per_image: [] }],
  ])('does not exist for %s', (_what, features, fields, pricing) => {
    expect(() => rateFor(order(fields), offer(pricing, { ...FEATURES, ...features }))).toThrow(
      expect.objectContaining({ code: 'image_generation_failed' }),
    );
  });
});

/** The simulator's meter as in its README: OpenAI's images by area, Gemini's at a fixed count. */
const openAiMeter = (wanted: ImageOrder, textTokens: number): ImageTokens => {
  const { width, height } = wanted.size!;
  const square = { low: 272, medium: 1_056, high: 4_160 }[wanted.quality as 'low'];
  return {
    textInput: textTokens,
    imageInput: 323 * wanted.images.length,
    output: wanted.n * Math.ceil((square * width * height) / (1_024 * 1_024)),
  };
};
const edge = fc.integer({ min: 16, max: 240 }).map((steps) => steps * 16);
const orders = fc
  .record({
    prompt: fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }),
    n: fc.integer({ min: 1, max: 10 }),
    size: fc.record({ width: edge, height: edge }),
    quality: fc.constantFrom('low', 'medium', 'high'),
    images: fc.integer({ min: 0, max: 16 }).map((count) => Array(count).fill(uploadOf('image', 'a'))),
  })
  .map((fields) => order(fields));
const price = fc.bigInt({ min: 0n, max: 10n ** 12n });
const prices = fc.record({
  text_input: price,
  image_input: price,
  image_output: price,
});

test('no call costs more than its bound, for any prompt tokenization and number of images', () => {
  fc.assert(
    fc.property(
      orders,
      prices,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(10),
      (wanted, tokenPrices, share, made) => {
        const rate = rateFor(wanted, offer({ per_image: [], ...tokenPrices }));
        const bound = boundOf(wanted, rate);
        const textTokens = Math.floor(Buffer.byteLength(wanted.prompt) * share) + 7;
        const tokens = openAiMeter({ ...wanted, n: Math.min(made, wanted.n) }, textTokens);
        expect(costOf(wanted, rate, { images: made, tokens })).toBeLessThanOrEqual(bound.costNano);
        expect(costOf(wanted, rate, { images: made })).toBeLessThanOrEqual(bound.costNano);
        expect(tokens.imageInput).toBeLessThanOrEqual(bound.promptTokens);
        expect(tokens.output).toBeLessThanOrEqual(bound.outputTokens);
      },
    ),
  );
});

test('no call costs more than its bound with fixed tokens per image', () => {
  const features: ImageFeatures = {
    ...FEATURES,
    outputTokens: [
      { size: '', quality: '', tokens: 1_290 },
      { size: '4096x4096', quality: '', tokens: 2_000 },
    ],
    outputTokensByArea: false,
    maxInputImageTokens: 560,
    textOutputTokens: 100,
  };
  const sizes = fc.constantFrom([1_024, 1_290], [2_048, 1_290], [4_096, 2_000]);
  fc.assert(
    fc.property(
      sizes,
      prices,
      price,
      fc.nat(16),
      fc.nat(100),
      ([px = 0, output = 0], tokenPrices, text_output, sent, textOutput) => {
        const images = Array(sent).fill(uploadOf('image', 'a'));
        const wanted = anOrder({ size: { width: px, height: px }, images });
        const rate = rateFor(wanted, offer({ per_image: [], ...tokenPrices, text_output }, features));
        const tokens = { textInput: 12, imageInput: 560 * sent, output, textOutput };
        expect(costOf(wanted, rate, { images: 1, tokens })).toBeLessThanOrEqual(
          boundOf(wanted, rate).costNano,
        );
      },
    ),
  );
});
