import type { Route } from '@gateway/upstream';
import type { ImageOffer } from '../../domain/model';
import type { FittedImageOrder } from './fit-image-order';
import { rateFor } from './image-price';
import type { ImageProvider } from './image-provider';
import { maxReplyBytesOf } from './image-reply-bytes';
import type { ImageRequest } from './image-request';

/** The longest event that is read. A larger image would be charged and lost. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Returns the order with the partial images that the caller accepts. None where a provider can't send them, where they have no
 * price, of several images, and of images that are too large for an event: callers must expect fewer than their maximum.
 */
export function orderPartialImages(
  order: FittedImageOrder,
  { partialImages }: Pick<ImageRequest, 'partialImages'>,
  offer: ImageOffer,
  routes: readonly Route<ImageProvider>[],
): FittedImageOrder {
  const isSent =
    partialImages !== undefined &&
    order.n === 1 &&
    maxReplyBytesOf(order) <= MAX_EVENT_BYTES &&
    routes.every(({ provider }) => provider.sendsPartialImages) &&
    rateFor(order, offer).by === 'token';
  return isSent ? { ...order, partialImages } : order;
}
