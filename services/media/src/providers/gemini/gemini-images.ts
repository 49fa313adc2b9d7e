import type { Upstream } from '../../domain/upstream';
import type { ImageProvider } from '../../images/rules/image-provider';
import { MAX_IMAGE_REPLY_BYTES } from '../../images/rules/image-reply-bytes';
import type { ProviderAccount } from '../provider-account';
import { isSuccess, sendJson } from '../send-json';
import { imageBody } from './image-body';
import { readImageReply } from './image-reply';
import { refusedGoogle } from './refused-google';

/** Image models of Google's Gemini API. @param account its base URL excludes the API version */
export function geminiImages({ id, baseUrl, apiKey }: ProviderAccount, upstream: Upstream): ImageProvider {
  const models = `${baseUrl.replace(/\/+$/, '')}/v1beta/models`;
  // Not in the URL, which would appear in logs.
  const headers = { 'x-goog-api-key': apiKey, 'content-type': 'application/json' };
  return {
    id,
    fetchesLinks: false,
    async generate(order, call) {
      const url = new URL(`${models}/${encodeURIComponent(order.upstreamModel)}:generateContent`);
      const body = imageBody(order);
      const reply = await sendJson(
        upstream,
        { method: 'POST', url, headers, body, maxReplyBytes: MAX_IMAGE_REPLY_BYTES },
        call,
      );
      if (!isSuccess(reply.status)) throw refusedGoogle(reply);
      return readImageReply(reply.value, order.n);
    },
  };
}
