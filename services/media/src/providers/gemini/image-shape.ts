import type { ImageSize } from '../../images/rules/image-provider';

/** The size of an image in `imageConfig`. */
export interface ImageShape {
  readonly aspectRatio: string;
  /** Absent: about a million pixels, the default of every model. */
  readonly imageSize?: '2K' | '4K';
}

/** Ratios of ai.google.dev/gemini-api/docs/image-generation. */
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
/** Sizes are rounded to what models generate; different ratios are further apart. */
const TOLERANCE = 0.04;
const SCALES = [undefined, '2K', '4K'] as const;
const PIXELS = 1_024 * 1_024;

/** Undefined for a size that is not close to one that Gemini supports. */
export function imageShape({ width, height }: ImageSize): ImageShape | undefined {
  const byDistance = RATIOS.map((aspectRatio) => ({
    aspectRatio,
    distance: Math.abs(Math.log(width / height / ratioOf(aspectRatio))),
  })).sort((a, b) => a.distance - b.distance);
  const [nearest] = byDistance;
  const scale = Math.log((width * height) / PIXELS) / Math.log(4);
  const level = Math.round(scale);
  if (!nearest || nearest.distance > TOLERANCE || Math.abs(scale - level) > TOLERANCE) return undefined;
  if (level < 0 || level >= SCALES.length) return undefined;
  const imageSize = SCALES[level];
  return { aspectRatio: nearest.aspectRatio, ...(imageSize && { imageSize }) };
}

function ratioOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}
