import type { Upload } from '../domain/upload';
import type { Upstream, UpstreamReply, UpstreamRequest } from '../domain/upstream';
import type { ProviderCall } from '../images/rules/image-provider';
import { FakeUpstream } from '../testing/fake-upstream';
import type { VideoOrder } from '../videos/rules/video-provider';

export const PNG = Buffer.from('89504e470d0a1a0a00010203', 'hex');
export const PNG_BASE64 = PNG.toString('base64');

export const upload: Upload = {
  part: 'reference_images',
  kind: 'png',
  bytes: PNG.length,
  async *open() {
    yield PNG.subarray(0, 5);
    yield PNG.subarray(5);
  },
};

export const ORDER: VideoOrder = {
  upstreamModel: 'model-1',
  prompt: 'a cat',
  tier: 'pro',
  seconds: 5,
  images: [],
};

export const CALL: ProviderCall = {
  requestId: 'r1',
  signal: new AbortController().signal,
  timeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
};

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent, as JSON.
  readonly body: any;
}

/** A provider that answers with recorded replies, in order, and records its requests. */
export class RecordedUpstream implements Upstream {
  readonly #fake: FakeUpstream;

  constructor(...replies: (readonly [status: number, json: unknown, headers?: Record<string, string>])[]) {
    this.#fake = new FakeUpstream(
      ...replies.map(([status, json, headers = {}]) => ({ status, json, headers })),
    );
  }

  get sent(): readonly SentRequest[] {
    return this.#fake.sent.map(({ body, ...sent }) => ({
      ...sent,
      body: body === '' ? undefined : JSON.parse(body),
    }));
  }

  request(request: UpstreamRequest): Promise<UpstreamReply> {
    return this.#fake.request(request);
  }
}
