import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { ImageFeatures, ImageOffer, ImagePricing } from '../../domain/model';
import type { MediaFile } from '../../domain/upload';
import { uploadOf } from '../../domain/upload.fixture';
import { anOrder, FEATURES } from './image-order.fixture';
import { boundOf, costOf, rateFor } from './image-price';
import type { ImageOrder, ImageTokens } from './image-provider';

const SQUARE = { width: 1_024, height: 1_024 };
const byToken: ImagePricing = {
  perImage: [],
  textInputNano: 5_000_000_000n,
  imageInputNano: 10_000_000_000n,
  imageOutputNano: 40_000_000_000n,
};
const byImage: ImagePricing = {
  perImage: [
    { size: '1024x1024', quality: 'low', priceNano: 10_000_000n },
    { size: '1024x1024', quality: '', priceNano: 40_000_000n },
    { size: '', quality: 'high', priceNano: 160_000_000n },
  ],
};
const offer = (pricing: ImagePricing, features: ImageFeatures = FEATURES): ImageOffer => ({
  pricing,
  features,
});
const order = (fields: Partial<ImageOrder> = {}) => anOrder({ size: SQUARE, quality: 'medium', ...fields });

describe('by the image', () => {
  test.each([
    ['low', SQUARE, 10_000_000n],
    ['medium', SQUARE, 40_000_000n],
    ['high', SQUARE, 40_000_000n],
    ['high', { width: 1_536, height: 1_024 }, 160_000_000n],
  ])('%s at %j', (quality, size, priceNano) => {
    const wanted = order({ quality, size, n: 3 });
    const rate = rateFor(wanted, offer(byImage));
    expect(boundOf(wanted, rate)).toEqual({ promptTokens: 0, outputTokens: 0, costNano: 3n * priceNano });
    expect(costOf(wanted, rate, { images: 2 })).toBe(2n * priceNano);
  });

  test('more than were ordered are not the caller’s to pay, none cost nothing', () => {
    const rate = rateFor(order(), offer(byImage));
    expect(costOf(order(), rate, { images: 5 })).toBe(40_000_000n);
    expect(costOf(order(), rate, { images: 0 })).toBe(0n);
  });

  test('what has no price is not sold', () => {
    const odd = order({ quality: 'low', size: { width: 1_536, height: 1_024 } });
    expect(() => rateFor(odd, offer(byImage))).toThrow(
      expect.objectContaining({ code: 'image_generation_failed', shouldRetry: false }),
    );
  });
});

describe('by the image and the megapixels sent', () => {
  const pricing: ImagePricing = {
    perImage: [{ size: '', quality: '', priceNano: 30_000_000n }],
    inputMegapixelNano: 15_000_000n,
  };
  const MEGAPIXEL = 1_024 * 1_024;
  const sent = (pixels?: number) => uploadOf('image', 'a', 'png', pixels);
  const edit = (...images: MediaFile[]) => order({ images });

  test.each<[string, MediaFile[], bigint]>([
    ['nothing is sent', [], 30_000_000n],
    ['one of a megapixel', [sent(MEGAPIXEL)], 45_000_000n],
    ['a pixel more is another', [sent(MEGAPIXEL + 1)], 60_000_000n],
    ['each counts by itself', [sent(1), sent(1), sent(4 * MEGAPIXEL)], 120_000_000n],
  ])('%s', (_what, images, costNano) => {
    const wanted = edit(...images);
    const rate = rateFor(wanted, offer(pricing));
    expect(boundOf(wanted, rate)).toEqual({ promptTokens: 0, outputTokens: 0, costNano });
    expect(costOf(wanted, rate, { images: 1 })).toBe(costNano);
    expect(costOf(wanted, rate, { images: 0, inputMegapixels: 9 })).toBe(0n);
  });

  test('a mask is sent, too', () => {
    const wanted = order({ images: [sent(1)], mask: sent(2 * MEGAPIXEL) });
    expect(boundOf(wanted, rateFor(wanted, offer(pricing))).costNano).toBe(75_000_000n);
  });

  test.each([
    [0, 30_000_000n],
    [1.2, 60_000_000n],
    [3, 75_000_000n],
    [500, 75_000_000n],
  ])('a provider that counts %d is paid that, at most what is held', (inputMegapixels, costNano) => {
    const wanted = edit(sent(3 * MEGAPIXEL));
    const rate = rateFor(wanted, offer(pricing));
    expect(costOf(wanted, rate, { images: 1, inputMegapixels })).toBe(costNano);
  });

  test.each([[undefined], [2 ** 30 + 1]])('an image of %j pixels has no price', (pixels) => {
    expect(() => rateFor(edit(sent(pixels)), offer(pricing))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    // Elsewhere its size is nobody's business.
    expect(rateFor(edit(sent(pixels)), offer(byImage)).by).toBe('image');
  });
});

describe('by tokens', () => {
  test('one rounding, up', () => {
    const odd: ImagePricing = { ...byToken, textInputNano: 333_333n, imageOutputNano: 1n };
    const rate = rateFor(order(), offer(odd));
    // 7 × 333333 + 1056 = 2334387 millionths.
    expect(costOf(order(), rate, { images: 1, tokens: { textInput: 7, imageInput: 0, output: 1_056 } })).toBe(
      3n,
    );
  });

  test('as the provider counted, in all kinds', () => {
    const rate = rateFor(order(), offer({ ...byToken, textOutputNano: 12_000_000_000n }));
    const tokens = { textInput: 10, imageInput: 100, output: 1_000, textOutput: 10_000 };
    expect(costOf(order(), rate, { images: 1, tokens })).toBe(
      50_000n + 1_000_000n + 40_000_000n + 120_000_000n,
    );
  });

  test('uncounted, the most that so many images take', () => {
    const wanted = order({ n: 4 });
    const rate = rateFor(wanted, offer(byToken));
    expect(costOf(wanted, rate, { images: 4 })).toBe(boundOf(wanted, rate).costNano);
    const ofOne = BigInt(1_056 * 40_000);
    expect(costOf(wanted, rate, { images: 4 }) - costOf(wanted, rate, { images: 3 })).toBe(ofOne);
    expect(costOf(wanted, rate, { images: 0 })).toBe(0n);
  });

  test.each<[string, Partial<ImageFeatures>, Partial<ImageOrder>, ImagePricing]>([
    ['an output of unknown size', { outputTokens: [] }, {}, byToken],
    [
      'images sent, of unknown tokens',
      { maxInputImageTokens: 0 },
      { images: [uploadOf('image', 'a')] },
      byToken,
    ],
    ['no price at all', {}, {}, { perImage: [] }],
  ])('%s has no price', (_what, features, fields, pricing) => {
    expect(() => rateFor(order(fields), offer(pricing, { ...FEATURES, ...features }))).toThrow(
      expect.objectContaining({ code: 'image_generation_failed' }),
    );
  });
});

/** What the simulator meters, as its README says: OpenAI's images by area, Gemini's each alike. */
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
  textInputNano: price,
  imageInputNano: price,
  imageOutputNano: price,
});

test('no call costs more than its bound, however its prompt is cut into tokens and however many images come', () => {
  fc.assert(
    fc.property(
      orders,
      prices,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(10),
      (wanted, tokenPrices, share, made) => {
        const rate = rateFor(wanted, offer({ perImage: [], ...tokenPrices }));
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

test('nor with models whose images all take as many tokens', () => {
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
      ([px = 0, output = 0], tokenPrices, textOutputNano, sent, textOutput) => {
        const images = Array(sent).fill(uploadOf('image', 'a'));
        const wanted = anOrder({ size: { width: px, height: px }, images });
        const rate = rateFor(wanted, offer({ perImage: [], ...tokenPrices, textOutputNano }, features));
        const tokens = { textInput: 12, imageInput: 560 * sent, output, textOutput };
        expect(costOf(wanted, rate, { images: 1, tokens })).toBeLessThanOrEqual(
          boundOf(wanted, rate).costNano,
        );
      },
    ),
  );
});
