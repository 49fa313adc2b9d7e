import type { LinkReply } from '@gateway/link';
import type { FittedImageOrder } from '../images/rules/fit-image-order';
import type { ImageResult, PartialImage } from '../images/rules/image-provider';
import { imageSizeText } from '../images/rules/image-size';
import { toImageReply } from './image-reply';

export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** The format requires figures, also of a provider that counts no tokens. */
const NO_USAGE = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { image_tokens: 0, text_tokens: 0 },
  total_tokens: 0,
};

/**
 * Returns the images as OpenAI's stream: an event for each. The last one has the usage of the call, so that a client that adds
 * them up counts it once.
 */
export function toImageEvents(
  result: ImageResult,
  order: FittedImageOrder,
  createdMs: number,
): LinkReply & { readonly body: Buffer } {
  const { created, data, usage = NO_USAGE, ...settings } = toImageReply(result, order, {}, createdMs);
  const type = typeOf(order, 'completed');
  const events = data.map((image, at) => ({
    type,
    ...image,
    created_at: created,
    size: 'auto',
    quality: 'auto',
    background: 'auto',
    ...settings,
    usage: at === data.length - 1 ? usage : NO_USAGE,
  }));
  const frames = events.map(toFrame);
  return {
    status: 200,
    headers: EVENT_HEADERS,
    body: Buffer.concat(frames),
  };
}

/** Returns a partial image as OpenAI's event. */
export function toPartialEvent(
  { base64, index }: PartialImage,
  order: FittedImageOrder,
  createdMs: number,
): Buffer {
  const { size, quality = 'auto', background = 'auto', format = 'png' } = order;
  return toFrame({
    type: typeOf(order, 'partial_image'),
    b64_json: base64,
    partial_image_index: index,
    created_at: Math.floor(createdMs / 1_000),
    size: size ? imageSizeText(size) : 'auto',
    quality,
    background,
    output_format: format,
  });
}

const typeOf = ({ images }: FittedImageOrder, event: string): string =>
  `${images.length > 0 ? 'image_edit' : 'image_generation'}.${event}`;

const toFrame = <Event extends { readonly type: string }>(event: Event): Buffer =>
  Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
