import type { LinkReply } from '@gateway/link';
import type { FittedImageOrder } from '../images/rules/fit-image-order';
import type { ImageResult } from '../images/rules/image-provider';
import { toImageReply } from './image-reply';

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
  const type = order.images.length > 0 ? 'image_edit.completed' : 'image_generation.completed';
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
  const frames = events.map((event) => Buffer.from(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`));
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    },
    body: Buffer.concat(frames),
  };
}
