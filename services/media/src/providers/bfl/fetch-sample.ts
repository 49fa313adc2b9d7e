import { setTimeout as sleep } from 'node:timers/promises';
import { UpstreamError } from '@gateway/upstream';
import type { Upstream } from '../../domain/upstream';
import type { GeneratedImage, ProviderCall } from '../../images/rules/image-provider';
import { MAX_IMAGE_FILE_BYTES } from '../../images/rules/image-reply-bytes';
import { brokenReply } from '../refusal';
import { isSuccess } from '../send-json';

const TRIES = 3;

/**
 * Fetches the file of a link; it needs no key.
 * @param waitMs between two attempts
 * @throws UpstreamError `broken`
 */
export async function fetchSample(
  upstream: Upstream,
  url: URL,
  call: ProviderCall,
  waitMs: number,
): Promise<GeneratedImage> {
  for (let tries = 1; ; tries++) {
    try {
      return await fetchOnce(upstream, url, call);
    } catch (error) {
      if (call.signal.aborted || !(error instanceof UpstreamError)) throw error;
      // The image exists: a failure now does not mean that the provider was unreachable when it was ordered.
      if (tries === TRIES) throw new UpstreamError({ kind: 'broken', cause: error });
    }
    await sleep(waitMs, undefined, { signal: call.signal });
  }
}

async function fetchOnce(upstream: Upstream, url: URL, call: ProviderCall): Promise<GeneratedImage> {
  const { signal, timeouts } = call;
  const reply = await upstream.request({
    method: 'GET',
    url,
    headers: { accept: 'image/*' },
    signal,
    timeouts,
    maxReplyBytes: MAX_IMAGE_FILE_BYTES,
  });
  const pieces: Buffer[] = [];
  for await (const piece of reply.body) pieces.push(piece);
  const mime = reply.headers['content-type']?.split(';')[0]?.trim() ?? '';
  if (!isSuccess(reply.status) || !mime.startsWith('image/')) throw brokenReply('a result that is no image');
  return { mime, base64: Buffer.concat(pieces).toString('base64') };
}
