import { describe, expect, test } from '@jest/globals';
import type { VideoOrder } from '../../videos/rules/video-provider';
import { createVideoProvider } from '../video-protocol';
import { CALL, ORDER, PNG_BASE64, RecordedUpstream, upload } from '../video-protocol.fixture';
import { veoProtocol } from './video-protocol';

const order: VideoOrder = {
  ...ORDER,
  tier: '1080p',
  resolution: '1080p',
  seconds: 8,
  upstreamModel: 'veo-3.1-generate-preview',
};
const account = { id: 'google', baseUrl: 'https://google.test' };
const NAME = 'models/veo-3.1-generate-preview/operations/abc123';
const TASK = { upstreamId: NAME, upstreamModel: order.upstreamModel };

function provider(...replies: ConstructorParameters<typeof RecordedUpstream>) {
  const upstream = new RecordedUpstream(...replies);
  return { upstream, veo: createVideoProvider(account, veoProtocol('key'), upstream) };
}

test('an order in its words, with our key in a header', async () => {
  const { upstream, veo } = provider([200, { name: NAME }]);
  expect(await veo.submit({ ...order, aspectRatio: '9:16' }, CALL)).toEqual(TASK);
  expect(upstream.sent).toMatchObject([
    {
      url: 'https://google.test/v1beta/models/veo-3.1-generate-preview:predictLongRunning',
      headers: { 'x-goog-api-key': 'key' },
      body: {
        instances: [{ prompt: 'a cat' }],
        parameters: { durationSeconds: 8, resolution: '1080p', aspectRatio: '9:16' },
      },
    },
  ]);
});

test('one image is the first frame, several are assets; links are not for it', async () => {
  const { upstream, veo } = provider([200, { name: NAME }], [200, { name: NAME }]);
  await veo.submit({ ...order, images: [upload] }, CALL);
  await veo.submit({ ...order, images: [upload, upload] }, CALL);
  const image = { bytesBase64Encoded: PNG_BASE64, mimeType: 'image/png' };
  const asset = { image, referenceType: 'asset' };
  expect(upstream.sent.map(({ body }) => body.instances[0])).toEqual([
    { prompt: 'a cat', image },
    { prompt: 'a cat', referenceImages: [asset, asset] },
  ]);
  expect(veo.fetchesLinks).toBe(false);
});

test('several images are shown in 8 seconds, which is told before anything is spent', () => {
  const { veo } = provider();
  const unsupportedReason = (images: VideoOrder['images'], seconds: number) =>
    veo.unsupportedReason?.({ ...order, images, seconds });
  expect(unsupportedReason([upload, upload], 6)).toMatch(/^duration: /);
  expect([
    unsupportedReason([upload, upload], 8),
    unsupportedReason([upload], 4),
    unsupportedReason([], 4),
  ]).toEqual([undefined, undefined, undefined]);
});

test('what is no task', async () => {
  const submit = (status: number, body: unknown) => provider([status, body]).veo.submit(order, CALL);
  expect(await submit(200, {})).toEqual({ upstreamId: undefined });
  for (const name of ['../../secrets', 'models/x/operations/a?b', 'https://evil.test/', 7]) {
    await expect(submit(200, { name })).rejects.toMatchObject({ failure: { kind: 'broken' } });
  }
  await expect(submit(400, { error: { code: 400, message: 'duration' } })).rejects.toMatchObject({
    failure: { status: 400, message: 'duration' },
  });
});

describe('a look', () => {
  const look = (body: object, status = 200) =>
    provider([status, { name: NAME, ...body }]).veo.poll(TASK, CALL);
  const done = (generateVideoResponse: object) => look({ done: true, response: { generateVideoResponse } });

  test('asks for the operation by its name', async () => {
    const { upstream, veo } = provider([200, { name: NAME }]);
    expect(await veo.poll(TASK, CALL)).toEqual({ state: 'running' });
    expect(upstream.sent).toMatchObject([{ method: 'GET', url: `https://google.test/v1beta/${NAME}` }]);
  });

  test('done tells no seconds', async () => {
    const uri = 'https://google.test/v1beta/files/abc:download?alt=media';
    expect(await done({ generatedSamples: [{ video: { uri } }] })).toEqual({
      state: 'completed',
      videos: [{ url: uri }],
    });
  });

  test('done, and filtered: a success with nothing in it', async () => {
    expect(await done({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['no'] })).toEqual({
      state: 'failed',
      detail: expect.stringMatching(/content policy/),
    });
    expect(await done({})).toEqual({ state: 'unknown' });
  });

  test('failed, canceled, and gone', async () => {
    expect(await look({ done: true, error: { code: 13, message: 'broke' } })).toEqual({
      state: 'failed',
      detail: 'broke',
    });
    expect(await look({ done: true, error: { code: 1 } })).toEqual({ state: 'canceled' });
    expect(await look({ error: {} }, 404)).toEqual({ state: 'unknown' });
  });
});
