import type { ListedPricing } from '@gateway/pricing';
import { expect, test } from '@jest/globals';
import { priceLines } from './price-lines';

const linesOf = (pricing: object | null) =>
  priceLines(pricing as ListedPricing | null).map(({ price, unit }) => `${price} ${unit}`);

test('shows token prices', () => {
  expect(
    linesOf({ tokens: { input: 5, output: 30, cache_read: 0.5, service_tiers: {}, units: {} } }),
  ).toEqual(['$5.00 in', '$30.00 out', '$0.50 cached']);
});

test('shows image prices as a range', () => {
  const at = (price: number) => ({ size: '', quality: '', price });
  expect(linesOf({ image: { per_image: [at(0.04), at(0.01), at(0.24)] } })).toEqual([
    '$0.01 – $0.24 per image',
  ]);
  expect(linesOf({ image: { per_image: [at(0.045)] } })).toEqual(['$0.045 per image']);
  expect(linesOf({ image: { per_image: [], text_input: 5, image_output: 0 } })).toEqual([
    '$5.00 text in',
    '$0.00 image out',
  ]);
});

test('shows prices per second by tier', () => {
  const per_second = { std: 0.05, pro: 0.1 };
  expect(linesOf({ video: { tiers: ['std', 'pro'], per_second } })).toEqual([
    '$0.05 per second, std',
    '$0.10 per second, pro',
  ]);
  expect(linesOf({ video: { tiers: ['std'], per_second } })).toEqual(['$0.05 per second']);
});

test('shows prices of speech and transcriptions', () => {
  expect(linesOf({ audio: { million_characters: 15 } })).toEqual(['$15.00 per million characters']);
  expect(linesOf({ audio: { hour: 0.36 } })).toEqual(['$0.36 per hour']);
  expect(linesOf({ audio: { text_input: 0.6, audio_output: 12 } })).toEqual([
    '$0.60 text in',
    '$12.00 audio out',
  ]);
});

test('shows prices per search and per megapixel', () => {
  expect(linesOf({ tokens: { service_tiers: {}, units: { search_unit: 0.002 } } })).toEqual([
    '$0.002 per search',
  ]);
  expect(linesOf({ image: { per_image: [], input_megapixel: 0.015 } })).toEqual([
    '$0.015 per input megapixel',
  ]);
});

test('shows nothing without prices', () => {
  expect(linesOf(null)).toEqual([]);
});
