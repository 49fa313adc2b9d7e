import { randomBytes } from 'node:crypto';
import { UpstreamError } from '@gateway/upstream';
import type { Upstream } from '../../domain/upstream';
import type { ImageCall, ImageOrder, ImageProvider, ImageResult } from '../../images/rules/image-provider';
import { MAX_IMAGE_REPLY_BYTES } from '../../images/rules/image-reply-bytes';
import type { ProviderAccount } from '../provider-account';
import { isSuccess, type JsonRequest, sendJson } from '../send-json';
import { editBody, generationBody } from './image-body';
import { readImageReply } from './image-reply';
import { readImageStream } from './image-stream';
import { refusedImage } from './refused-image';

const EVENT_STREAM = 'text/event-stream';

/** OpenAI's images API. @param account its base URL ends with `/v1` */
export function openAiImages({ id, baseUrl, apiKey }: ProviderAccount, upstream: Upstream): ImageProvider {
  const base = `${baseUrl.replace(/\/+$/, '')}/images`;
  const urls = { generation: new URL(`${base}/generations`), edit: new URL(`${base}/edits`) };
  const authentication = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  const write = (order: ImageOrder) =>
    order.images.length === 0 ? generationBody(order) : editBody(order, randomBytes(24).toString('hex'));
  return {
    id,
    fetchesLinks: false,
    sendsPartialImages: true,
    async generate(order, call) {
      const { contentType, body } = write(order);
      const request = {
        method: 'POST' as const,
        url: order.images.length === 0 ? urls.generation : urls.edit,
        headers: { ...authentication, 'content-type': contentType },
        body,
        maxReplyBytes: MAX_IMAGE_REPLY_BYTES,
      };
      if (order.partialImages) return generateStreamed(upstream, request, order, call);
      const reply = await sendJson(upstream, request, call);
      if (!isSuccess(reply.status)) throw refusedImage(reply);
      return readImageReply(reply.value, order);
    },
  };
}

async function generateStreamed(
  upstream: Upstream,
  request: JsonRequest,
  order: ImageOrder,
  { requestId, signal, timeouts, onPartial }: ImageCall,
): Promise<ImageResult> {
  const reply = await upstream.request({
    ...request,
    headers: { accept: EVENT_STREAM, ...request.headers, 'x-request-id': requestId },
    signal,
    // The pauses between events are as long as a whole reply takes.
    timeouts: { ...timeouts, idleMs: timeouts.firstByteMs },
  });
  const { status, headers } = reply;
  if (!isSuccess(status)) {
    const value = await reply.json().catch((error: unknown) => {
      if (error instanceof UpstreamError) return undefined;
      throw error;
    });
    throw refusedImage({ status, headers, value });
  }
  // Servers of this format that know no streams ignore the fields.
  if (!headers['content-type']?.startsWith(EVENT_STREAM)) return readImageReply(await reply.json(), order);
  return readImageStream(reply, order, onPartial ? { onPartial } : {});
}
