import type { Upstream, UpstreamReply } from '../../domain/upstream';
import type { ProviderCall } from '../../images/rules/image-provider';
import type { VideoContent } from '../../videos/rules/video-provider';
import { isResultAddress, isSameHost } from '../link-address';
import { brokenReply, refusedBy } from '../refusal';
import { isSuccess } from '../send-json';

export interface GuardedFile {
  readonly url: string;
  /** Origin of the provider: our key is sent nowhere else. */
  readonly base: URL;
  readonly key: Readonly<Record<string, string>>;
}

const MAX_REDIRECTS = 3;
const MAX_BYTES = 4 * 1024 ** 3;

/** Opens a file that needs our key; redirects to storage don't get the key. @throws UpstreamError */
export async function openFile(
  upstream: Upstream,
  { url, base, key }: GuardedFile,
  call: ProviderCall,
): Promise<VideoContent> {
  let at = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const isOurs = isSameHost(at, base);
    if (!isOurs && (redirects === 0 || !isResultAddress(at, base)))
      throw brokenReply('a file somewhere else');
    const reply = await upstream.request({
      method: 'GET',
      url: at,
      headers: isOurs ? key : {},
      signal: call.signal,
      timeouts: call.timeouts,
      maxReplyBytes: MAX_BYTES,
    });
    if (isSuccess(reply.status)) return toContent(reply);
    const { location } = reply.headers;
    const isMoved = reply.status >= 300 && reply.status < 400 && location !== undefined;
    if (!isMoved || !URL.canParse(location, at.href)) throw refusedBy(reply);
    at = new URL(location, at);
  }
  throw brokenReply('a file behind too many redirections');
}

function toContent({ headers, body }: UpstreamReply): VideoContent {
  const mime = headers['content-type']?.split(';')[0]?.trim() ?? '';
  const bytes = headers['content-length'];
  return {
    // A browser must not render anything but a video.
    mime: /^video\/[\w.+-]+$/.test(mime) ? mime : 'application/octet-stream',
    ...(bytes !== undefined && /^\d{1,15}$/.test(bytes) && { bytes: Number(bytes) }),
    body,
  };
}
