import { describe, expect, test } from '@jest/globals';
import type { VideoOrder } from '../../videos/rules/video-provider';
import { createVideoProvider } from '../video-protocol';
import { CALL, ORDER, PNG_BASE64, RecordedUpstream, upload } from '../video-protocol.fixture';
import { dashScopeProtocol } from './video-protocol';

const order: VideoOrder = { ...ORDER, tier: '720P', resolution: '720P', upstreamModel: 'wan2.6-t2v' };
const account = { id: 'alibaba', baseUrl: 'https://dashscope.test' };
const ID = '0385dc79-5ff8-4d82-bcb6-111111111111';
const TASK = { upstreamId: ID, upstreamModel: 'wan2.6-t2v' };
const accepted = { output: { task_id: ID, task_status: 'PENDING' }, request_id: 'x' };

function provider(...replies: ConstructorParameters<typeof RecordedUpstream>) {
  const upstream = new RecordedUpstream(...replies);
  return { upstream, wan: createVideoProvider(account, dashScopeProtocol('key'), upstream) };
}

test('an order from text names pixels, and does not wait for the video', async () => {
  const { upstream, wan } = provider([200, accepted]);
  expect(await wan.submit({ ...order, aspectRatio: '4:3' }, CALL)).toEqual(TASK);
  expect(upstream.sent).toMatchObject([
    {
      url: 'https://dashscope.test/api/v1/services/aigc/video-generation/video-synthesis',
      headers: { authorization: 'Bearer key', 'x-dashscope-async': 'enable' },
      body: {
        model: 'wan2.6-t2v',
        input: { prompt: 'a cat' },
        parameters: { size: '1088*832', duration: 5 },
      },
    },
  ]);
});

test('an order from images names a resolution', async () => {
  const { upstream, wan } = provider([200, accepted], [200, accepted]);
  const link = { url: 'https://example.com/a.png' };
  await wan.submit({ ...order, images: [upload] }, CALL);
  await wan.submit({ ...order, images: [link, upload] }, CALL);
  const data = `data:image/png;base64,${PNG_BASE64}`;
  expect(upstream.sent.map(({ body }) => [body.input, body.parameters])).toEqual([
    [
      { prompt: 'a cat', img_url: data },
      { resolution: '720P', duration: 5 },
    ],
    [
      { prompt: 'a cat', first_frame_url: link.url, last_frame_url: data },
      { resolution: '720P', duration: 5 },
    ],
  ]);
});

test('what it can’t make', () => {
  const { wan } = provider();
  expect(wan.unsupportedReason?.({ ...order, aspectRatio: '21:9' })).toMatch(/aspect_ratio/);
  expect(wan.unsupportedReason?.({ ...order, resolution: '480P', aspectRatio: '4:3' })).toMatch(
    /aspect_ratio/,
  );
  expect(wan.unsupportedReason?.({ ...order, images: [upload], aspectRatio: '16:9' })).toMatch(
    /aspect_ratio/,
  );
  expect(wan.unsupportedReason?.({ ...order, upstreamModel: 'wan2.6-i2v' })).toMatch(/reference_images/);
  expect(
    wan.unsupportedReason?.({ ...order, upstreamModel: 'wan2.6-i2v', images: [upload] }),
  ).toBeUndefined();
  expect(wan.unsupportedReason?.(order)).toBeUndefined();
});

test('what is no task', async () => {
  const submit = (status: number, body: unknown) => provider([status, body]).wan.submit(order, CALL);
  expect(await submit(200, { output: { task_status: 'PENDING' } })).toEqual({ upstreamId: undefined });
  expect(await submit(200, {})).toEqual({ upstreamId: undefined });
  await expect(submit(200, { code: 'InternalError', message: 'words' })).rejects.toMatchObject({
    failure: { status: 500, message: 'words' },
  });
  await expect(submit(400, { code: 'DataInspectionFailed', message: 'x' })).rejects.toMatchObject({
    detail: expect.stringMatching(/content policy/),
  });
  await expect(submit(400, { code: 'Arrearage', message: 'x' })).rejects.toMatchObject({
    failure: { status: 402 },
  });
  await expect(submit(400, { code: 'InvalidParameter', message: 'duration' })).rejects.toMatchObject({
    failure: { status: 400, message: 'duration' },
  });
});

describe('a look', () => {
  const look = (output: object, usage?: object) =>
    provider([200, { request_id: 'x', output, ...(usage && { usage }) }]).wan.poll(TASK, CALL);

  test.each([
    ['PENDING', 'queued'],
    ['RUNNING', 'running'],
    ['CANCELED', 'canceled'],
    ['UNKNOWN', 'unknown'],
  ])('%s is %s', async (task_status, state) => expect(await look({ task_status })).toEqual({ state }));

  test('done, with the seconds it charges', async () => {
    const video_url = 'https://oss.test/a.mp4?Expires=1800000000&Signature=x';
    expect(await look({ task_status: 'SUCCEEDED', video_url }, { duration: 5, video_count: 1 })).toEqual({
      state: 'completed',
      seconds: 5,
      videos: [{ url: video_url, durationSeconds: 5, expiresAtMs: 1_800_000_000_000 }],
    });
    expect(await look({ task_status: 'SUCCEEDED', video_url }, { duration: 0 })).toMatchObject({
      seconds: 0,
    });
    expect(await look({ task_status: 'SUCCEEDED', video_url })).not.toHaveProperty('seconds');
    expect(await look({ task_status: 'SUCCEEDED' })).toEqual({ state: 'unknown' });
  });

  test('failed, and why', async () => {
    const failed = (code: string) => look({ task_status: 'FAILED', code, message: 'words' });
    expect(await failed('InternalError')).toEqual({ state: 'failed', detail: 'words' });
    expect(await failed('DataInspectionFailed')).toMatchObject({
      detail: expect.stringMatching(/content policy/),
    });
    await expect(look({ task_status: 'RESTING' })).rejects.toMatchObject({ failure: { kind: 'broken' } });
  });
});
