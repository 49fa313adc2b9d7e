import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { VideoOrder } from '../../videos/rules/video-provider';
import { createVideoProvider } from '../video-protocol';
import { CALL, ORDER, PNG_BASE64, RecordedUpstream, upload } from '../video-protocol.fixture';
import { klingProtocol } from './video-protocol';

const order: VideoOrder = { ...ORDER, upstreamModel: 'kling-v2-6' };
const account = { id: 'kling', baseUrl: 'https://kling.test' };
const NOW_MS = 1_800_000_000_500;
const TASK = { upstreamId: 'text2video/123', upstreamModel: 'kling-v2-6' };
const accepted = { code: 0, message: 'SUCCEED', data: { task_id: '123', task_status: 'submitted' } };

function provider(...replies: ConstructorParameters<typeof RecordedUpstream>) {
  const upstream = new RecordedUpstream(...replies);
  const wire = klingProtocol({ accessKey: 'AK', secretKey: 'SK' }, () => NOW_MS);
  return { upstream, kling: createVideoProvider(account, wire, upstream) };
}

test('an order in its words, under a token of this moment', async () => {
  const { upstream, kling } = provider([200, accepted]);
  expect(await kling.submit({ ...order, aspectRatio: '1:1' }, CALL)).toEqual(TASK);
  const [{ url, body, headers } = { url: '', body: {}, headers: {} }] = upstream.sent;
  expect([url, body]).toEqual([
    'https://kling.test/v1/videos/text2video',
    {
      model_name: 'kling-v2-6',
      prompt: 'a cat',
      mode: 'pro',
      duration: '5',
      aspect_ratio: '1:1',
      external_task_id: 'r1',
    },
  ]);
  const [head = '', claims = '', signature] = `${(headers as Record<string, string>).authorization}`
    .replace('Bearer ', '')
    .split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect([decode(head), decode(claims)]).toEqual([
    { alg: 'HS256', typ: 'JWT' },
    { iss: 'AK', exp: 1_800_001_800, nbf: 1_799_999_995 },
  ]);
  expect(signature).toBe(createHmac('sha256', 'SK').update(`${head}.${claims}`).digest('base64url'));
});

test('from images: a path of its own, bare base64, the first and the last frame', async () => {
  const { upstream, kling } = provider([200, accepted]);
  const images = [upload, { url: 'https://example.com/b.png' }];
  expect(await kling.submit({ ...order, images }, CALL)).toMatchObject({ upstreamId: 'image2video/123' });
  expect(upstream.sent).toMatchObject([
    {
      url: 'https://kling.test/v1/videos/image2video',
      body: { image: PNG_BASE64, image_tail: 'https://example.com/b.png', duration: '5' },
    },
  ]);
  expect(kling.unsupportedReason?.({ ...order, images, aspectRatio: '16:9' })).toMatch(/aspect_ratio/);
  expect(kling.unsupportedReason?.({ ...order, images })).toBeUndefined();
});

test('a task is known by the name that it was ordered under, too', async () => {
  const { upstream, kling } = provider([200, { code: 0, data: { task_status: 'processing' } }]);
  expect(kling.externalTaskId?.({ ...order, images: [upload] }, 'r1')).toBe('image2video/r1');
  const upstreamId = kling.externalTaskId!(order, 'r1');
  expect(await kling.poll({ ...TASK, upstreamId }, CALL)).toEqual({ state: 'running' });
  expect(upstream.sent[0]?.url).toBe('https://kling.test/v1/videos/text2video/r1');
});

describe('what is no task', () => {
  const submit = (status: number, body: unknown) => provider([status, body]).kling.submit(order, CALL);

  test.each([{ code: 0, data: {} }, { code: 0 }, {}])('success without an id: %j', async (body) =>
    expect(await submit(200, body)).toEqual({ upstreamId: undefined }),
  );

  test('a code that is not 0 is a refusal, whatever the status', async () => {
    const refused = (status: number, code: number) => submit(status, { code, message: 'words' });
    await expect(refused(200, 1301)).rejects.toMatchObject({ detail: expect.stringMatching(/policy/) });
    await expect(refused(400, 1301)).rejects.toMatchObject({ detail: expect.stringMatching(/policy/) });
    await expect(refused(200, 1201)).rejects.toMatchObject({ detail: 'words' });
    await expect(refused(200, 5000)).rejects.toMatchObject({ failure: { status: 500, message: 'words' } });
    // Our balance is nothing to tell a caller.
    await expect(refused(200, 1102)).rejects.toMatchObject({ failure: { kind: 'status', status: 500 } });
    await expect(refused(200, 1102)).rejects.not.toMatchObject({ failure: { message: 'words' } });
    await expect(refused(400, 1201)).rejects.toMatchObject({ failure: { status: 400, message: 'words' } });
    // Our balance, told as too many requests.
    await expect(refused(429, 1102)).rejects.toMatchObject({ failure: { status: 402 } });
    await expect(refused(429, 1302)).rejects.toMatchObject({ failure: { status: 429 } });
  });
});

describe('a look', () => {
  const look = (data: unknown, status = 200, code = 0) =>
    provider([status, { code, message: '', data }]).kling.poll(TASK, CALL);
  const done = (...videos: unknown[]) => look({ task_status: 'succeed', task_result: { videos } });
  const url = 'https://cdn.test/a.mp4';

  test('asks where the task was made', async () => {
    const { upstream, kling } = provider([200, { code: 0, data: { task_status: 'processing' } }]);
    expect(await kling.poll(TASK, CALL)).toEqual({ state: 'running' });
    expect(upstream.sent).toMatchObject([
      { method: 'GET', url: 'https://kling.test/v1/videos/text2video/123' },
    ]);
  });

  test('waits, fails, and is not there', async () => {
    expect(await look({ task_status: 'submitted' })).toEqual({ state: 'queued' });
    expect(await look({ task_status: 'failed', task_status_msg: 'no luck' })).toEqual({
      state: 'failed',
      detail: 'no luck',
    });
    const policy = 'Failure to pass the risk control system';
    expect(await look({ task_status: 'failed', task_status_msg: policy })).toMatchObject({
      detail: expect.stringMatching(/content policy/),
    });
    expect(await look(undefined, 404, 1203)).toEqual({ state: 'unknown' });
    await expect(look({ task_status: 'resting' })).rejects.toMatchObject({ failure: { kind: 'broken' } });
    await expect(look({ task_status: 'succeed' }, 200, 5000)).rejects.toMatchObject({
      failure: { kind: 'broken' },
    });
  });

  test('done: seconds are text, and whole ones are sold', async () => {
    expect(await done({ url, duration: '5.041' })).toEqual({
      state: 'completed',
      seconds: 5,
      videos: [{ url, durationSeconds: 5.041 }],
    });
    expect(await done({ url, duration: '5.0' }, { url, duration: '10.0' })).toMatchObject({ seconds: 15 });
    expect(await done({ url, duration: 'long' })).toMatchObject({ seconds: Number.NaN });
    expect(await done({ url, duration: '0.0' })).toMatchObject({ seconds: 0 });
    expect(await done({ url })).toEqual({ state: 'completed', videos: [{ url }] });
    expect(await done({ duration: '5.0' })).toEqual({ state: 'unknown' });
    expect(await done({ url: 'javascript:alert(1)' })).toEqual({ state: 'unknown' });
  });
});
