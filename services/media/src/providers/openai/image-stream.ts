import { dataOf, membersOf, parseData, splitEvents, textOf } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import type { UpstreamReply } from '../../domain/upstream';
import type { ImageCall, ImageOrder, ImageResult } from '../../images/rules/image-provider';
import { brokenReply } from '../refusal';
import { readImageReply } from './image-reply';
import { refusedImage } from './refused-image';

/**
 * Reads the stream of one image to its last event.
 * @throws UpstreamError `broken` for an error, another event without JSON, and an end without the image
 * @throws MediaRefused for an error that refuses the order
 */
export async function readImageStream(
  { body, headers }: Pick<UpstreamReply, 'body' | 'headers'>,
  order: ImageOrder,
  { onPartial }: Pick<ImageCall, 'onPartial'>,
): Promise<ImageResult> {
  for await (const event of splitEvents(body)) {
    const data = parseData(event);
    if (!data) {
      if (dataOf(event) === '') continue;
      throw brokenReply('an event without JSON', headers);
    }
    const type = textOf(data.type);
    if (type === 'error' || data.error) throw errorOf(data, headers);
    if (type.endsWith('.completed')) return readImageReply({ ...data, data: [data] }, order);
    const base64 = textOf(data.b64_json);
    if (type.endsWith('.partial_image') && base64 !== '')
      await onPartial?.({ base64, index: indexOf(data.partial_image_index) });
  }
  throw brokenReply('the stream ended too early', headers);
}

function errorOf(data: Readonly<Record<string, unknown>>, headers: UpstreamReply['headers']): Error {
  const value = data.error ? data : { error: membersOf(data) };
  const refusal = refusedImage({ status: 400, headers: {}, value });
  return refusal instanceof MediaRefused ? refusal : brokenReply('an error event', headers);
}

const indexOf = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0);
