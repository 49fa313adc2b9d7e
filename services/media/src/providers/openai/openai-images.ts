import { randomBytes } from 'node:crypto';
import type { Upstream } from '../../domain/upstream';
import type { ImageOrder, ImageProvider } from '../../images/rules/image-provider';
import { MAX_IMAGE_REPLY_BYTES } from '../../images/rules/image-reply-bytes';
import type { ProviderAccount } from '../provider-account';
import { isSuccess, sendJson } from '../send-json';
import { editBody, generationBody } from './image-body';
import { readImageReply } from './image-reply';
import { refusedImage } from './refused-image';

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
    async generate(order, call) {
      const { contentType, body } = write(order);
      const reply = await sendJson(
        upstream,
        {
          method: 'POST',
          url: order.images.length === 0 ? urls.generation : urls.edit,
          headers: { ...authentication, 'content-type': contentType },
          body,
          maxReplyBytes: MAX_IMAGE_REPLY_BYTES,
        },
        call,
      );
      if (!isSuccess(reply.status)) throw refusedImage(reply);
      return readImageReply(reply.value, order);
    },
  };
}
