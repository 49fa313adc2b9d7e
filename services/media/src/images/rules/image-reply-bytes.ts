import type { ImageOrder } from './image-provider';

type Shape = Pick<ImageOrder, 'n' | 'size' | 'format' | 'partialImages'>;

/** Maximum bytes of a provider's reply. The reply is temporarily a string, which V8 limits to 512 MiB. */
export const MAX_IMAGE_REPLY_BYTES = 128 * 1024 ** 2;
/** Maximum bytes of a separate file, which becomes base64 later. */
export const MAX_IMAGE_FILE_BYTES = (MAX_IMAGE_REPLY_BYTES / 4) * 3;

/** A PNG that compresses badly, in base64. */
const BYTES_PER_PIXEL = 2;
const MIN_BYTES = 1024 ** 2;
/** For an image whose size the provider chooses. */
const USUAL_PIXELS = 1_024 * 1_024;
/** Channels of a pixel with opacity; a JPEG has none. */
const RAW_BYTES_PER_PIXEL = 4;
const RAW_JPEG_BYTES_PER_PIXEL = 3;
/** Overhead of incompressible pixels: the filter of each row, frames of blocks and chunks. */
const FRAMING = 1.002;
/** Metadata of a file and of its member of the reply. */
const EXTRA_BYTES = 256 * 1024;

/** Estimates the memory of the reply to an order, and of one partial image at a time. */
export function replyBytesOf({ n, size, partialImages }: Omit<Shape, 'format'>): number {
  const images = partialImages ? n + 1 : n;
  return Math.max(MIN_BYTES, images * pixelsOf(size) * BYTES_PER_PIXEL);
}

/** Returns the maximum size of the reply to an order: every image as large as its pixels, in base64. */
export function maxReplyBytesOf({ n, size, format }: Shape): number {
  const perPixel = format === 'jpeg' ? RAW_JPEG_BYTES_PER_PIXEL : RAW_BYTES_PER_PIXEL;
  const file = Math.ceil(pixelsOf(size) * perPixel * FRAMING);
  return n * (Math.ceil(file / 3) * 4 + EXTRA_BYTES);
}

const pixelsOf = (size: Shape['size']): number => (size ? size.width * size.height : USUAL_PIXELS);
