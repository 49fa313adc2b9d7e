import type { ImageProvider } from '../../domain/image-provider';
import type { Upstream } from '../../domain/upstream';
import type { ProviderAccount } from '../provider-account';
import { isSuccess, sendJson } from '../send-json';
import { imageBody } from './image-body';
import { readImageReply } from './image-reply';
import { refusedGoogle } from './refused-google';

/** One image of 4K, in base64. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** Models of Google's Gemini API that draw. @param account its base URL is without the API's version */
export function geminiImages(
  { id, baseUrl, credentials }: ProviderAccount,
  upstream: Upstream,
): ImageProvider {
  const models = `${baseUrl.replace(/\/+$/, '')}/v1beta/models`;
  // Not in the URL, which reaches logs.
  const headers = { 'x-goog-api-key': credentials.API_KEY ?? '', 'content-type': 'application/json' };
  return {
    id,
    takesLinks: false,
    async generate(order, call) {
      const url = new URL(`${models}/${encodeURIComponent(order.upstreamModel)}:generateContent`);
      const body = imageBody(order);
      const reply = await sendJson(
        upstream,
        { method: 'POST', url, headers, body, maxReplyBytes: MAX_REPLY_BYTES },
        call,
      );
      if (!isSuccess(reply.status)) throw refusedGoogle(reply);
      return readImageReply(reply.value, order.n);
    },
  };
}
