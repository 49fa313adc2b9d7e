import type { ImageOrder } from './image-provider';

type Shape = Pick<ImageOrder, 'n' | 'size' | 'format'>;

/** No provider's reply is read further. It is text for a while, and V8 has a bound of its own on that: 512 MiB. */
export const MAX_IMAGE_REPLY_BYTES = 128 * 1024 ** 2;
/** The same of a file that comes by itself, and is base64 only later. */
export const MAX_IMAGE_FILE_BYTES = (MAX_IMAGE_REPLY_BYTES / 4) * 3;

/** A PNG that compresses badly, in base64. */
const BYTES_PER_PIXEL = 2;
const MIN_BYTES = 1024 ** 2;
/** Of an image whose size is the provider's choice. */
const USUAL_PIXELS = 1_024 * 1_024;
/** Colours and their opacity; a JPEG has none. */
const RAW_BYTES_PER_PIXEL = 4;
const RAW_JPEG_BYTES_PER_PIXEL = 3;
/** Around pixels that can't be made smaller: the name of each row's filter, frames of blocks and chunks. */
const FRAMING = 1.002;
/** Where a file came from, and what is said of it beside it. */
const EXTRA_BYTES = 256 * 1024;

/** About what the reply to an order takes in memory. */
export function replyBytesOf({ n, size }: Pick<Shape, 'n' | 'size'>): number {
  return Math.max(MIN_BYTES, n * pixelsOf(size) * BYTES_PER_PIXEL);
}

/** What the reply to an order can't exceed: every image as large as its pixels, in base64. */
export function maxReplyBytesOf({ n, size, format }: Shape): number {
  const perPixel = format === 'jpeg' ? RAW_JPEG_BYTES_PER_PIXEL : RAW_BYTES_PER_PIXEL;
  const file = Math.ceil(pixelsOf(size) * perPixel * FRAMING);
  return n * (Math.ceil(file / 3) * 4 + EXTRA_BYTES);
}

const pixelsOf = (size: Shape['size']): number => (size ? size.width * size.height : USUAL_PIXELS);
