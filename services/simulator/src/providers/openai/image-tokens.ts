import type { Size } from '../../domain/files/size';

export type Quality = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Of 1024x1024, as OpenAI published for gpt-image-1; each of the upper two doubles the previous figure. */
const TOKENS: Readonly<Record<Quality, number>> = {
  low: 272,
  medium: 1_056,
  high: 4_160,
  xhigh: 8_320,
  max: 16_640,
};

const SQUARE_PIXELS = 1_024 * 1_024;

/** Of each input image, regardless of its size: a base of 65 and two tiles of 129. */
export const INPUT_IMAGE_TOKENS = 323;

/** Of each partial image of a stream. */
export const PARTIAL_IMAGE_TOKENS = 100;

/** Proportional to the area, rounded up. */
export function outputTokens({ width, height }: Size, quality: Quality): number {
  return Math.ceil((TOKENS[quality] * width * height) / SQUARE_PIXELS);
}
