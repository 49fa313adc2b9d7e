import type { FittedImageOrder } from './fit-image-order';

/** A PNG that compresses badly, in base64. */
const BYTES_PER_PIXEL = 2;
const MIN_BYTES = 1024 ** 2;
/** Of an image whose size is the provider's choice. */
const USUAL_PIXELS = 1_024 * 1_024;

/** About what the reply to an order takes in memory. */
export function replyBytesOf({ n, size }: Pick<FittedImageOrder, 'n' | 'size'>): number {
  const pixels = size ? size.width * size.height : USUAL_PIXELS;
  return Math.max(MIN_BYTES, n * pixels * BYTES_PER_PIXEL);
}
