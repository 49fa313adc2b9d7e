import { GatewayError } from '@gateway/errors';
import { isLonger } from '../../domain/is-longer';
import type { ImageFeatures, ImageSizeRule } from '../../domain/model';
import type { ImageOrder, ImageSize } from './image-provider';
import { MAX_IMAGE_REPLY_BYTES, maxReplyBytesOf } from './image-reply-bytes';
import type { ImageRequest } from './image-request';
import { imageSizeText, parseImageSize } from './image-size';

/** An order for any provider that serves the model. */
export type FittedImageOrder = Omit<ImageOrder, 'upstreamModel'>;

/** Formats with a configurable compression. */
const COMPRESSED = new Set(['jpeg', 'webp']);

/**
 * Returns the request as an order that the model supports. Size, quality and format that the caller omits are taken from the
 * catalog and sent to the provider, so that the cost does not depend on the provider's choice.
 * @throws GatewayError `image_generation_failed` without retry for anything that the model does not support;
 *   `invalid_request` for a prompt that is too long
 */
export function fitImageOrder(request: ImageRequest, features: ImageFeatures): FittedImageOrder {
  const { prompt, n, hints, images, mask } = request;
  refuseUnsupported(request, features);
  const size = request.size ?? parseImageSize(features.defaultSize);
  const quality = request.quality ?? features.defaultQuality;
  const format = request.format ?? features.formats[0];
  const { background, compression } = request;
  if (compression !== undefined && compression < 100 && !COMPRESSED.has(format ?? '')) {
    throw unsupported(format ? `output_compression with ${format}` : 'output_compression');
  }
  if (background === 'transparent' && format === 'jpeg')
    throw unsupported('a transparent background with jpeg');
  refuseTooLarge({ n, ...(size && { size }), ...(format && { format }) });
  return {
    prompt,
    n,
    hints,
    acceptsLinks: request.replyAs === 'url',
    images,
    ...(size && { size }),
    ...(quality && { quality }),
    ...(format && { format }),
    ...(background && features.transparent && { background }),
    ...(compression !== undefined && COMPRESSED.has(format ?? '') && { compression }),
    ...(mask && { mask }),
  };
}

function refuseUnsupported(request: ImageRequest, features: ImageFeatures): void {
  const { n, size, quality, format, background, images, mask, prompt } = request;
  if (features.maxPromptChars > 0 && isLonger(prompt, features.maxPromptChars)) {
    throw new GatewayError('invalid_request', {
      detail: `prompt: longer than ${features.maxPromptChars} characters`,
    });
  }
  const [field] = request.unsupportedFields;
  if (field !== undefined) throw unsupported(field);
  if (request.edit && features.maxInputImages === 0) throw unsupported('edits');
  if (images.length > features.maxInputImages) {
    throw unsupported(`more than ${features.maxInputImages} images to edit`);
  }
  if (mask && !features.mask) throw unsupported('mask');
  if (n > features.maxN) throw unsupported(`n above ${features.maxN}`);
  if (size && !supportsSize(size, features)) throw unsupported(`size ${imageSizeText(size)}`);
  if (quality && !features.qualities.includes(quality)) throw unsupported(`quality ${quality}`);
  if (format && !features.formats.includes(format)) throw unsupported(`output_format ${format}`);
  // Opaque is the default.
  if (background === 'transparent' && !features.transparent) throw unsupported('a transparent background');
}

/** An order whose reply would be charged but could not be read. */
function refuseTooLarge(order: Pick<FittedImageOrder, 'n' | 'size' | 'format'>): void {
  if (maxReplyBytesOf(order) <= MAX_IMAGE_REPLY_BYTES) return;
  const maxN = Math.floor(MAX_IMAGE_REPLY_BYTES / maxReplyBytesOf({ ...order, n: 1 }));
  const size = order.size ? imageSizeText(order.size) : 'this size';
  throw unsupported(maxN === 0 ? `size ${size}` : `n above ${maxN} at ${size}`);
}

function supportsSize(size: ImageSize, { sizes, sizeRule }: ImageFeatures): boolean {
  return sizes.includes(imageSizeText(size)) || (sizeRule !== undefined && isWithin(size, sizeRule));
}

function isWithin({ width, height }: ImageSize, rule: ImageSizeRule): boolean {
  const pixels = width * height;
  const long = Math.max(width, height);
  return (
    width % rule.stepPx === 0 &&
    height % rule.stepPx === 0 &&
    long <= rule.maxEdgePx &&
    long <= rule.maxRatio * Math.min(width, height) &&
    pixels >= rule.minPixels &&
    pixels <= rule.maxPixels
  );
}

/** The same request would be refused again. */
export function unsupported(what: string): GatewayError {
  return new GatewayError('image_generation_failed', {
    detail: `not supported by this model: ${what}`,
    shouldRetry: false,
  });
}
