import { describe, expect, test } from '@jest/globals';
import type { VideoOrder } from '../../videos/rules/video-provider';
import { createVideoProvider } from '../video-protocol';
import { CALL, ORDER, PNG_BASE64, RecordedUpstream, upload } from '../video-protocol.fixture';
import { minimaxProtocol } from './video-protocol';

const order: VideoOrder = { ...ORDER, tier: '2K', resolution: '2K', upstreamModel: 'MiniMax-H3' };
const account = { id: 'minimax', baseUrl: 'https://minimax.test/api/' };
const TASK = { upstreamId: '310000000000001', upstreamModel: 'MiniMax-H3' };

function provider(...replies: ConstructorParameters<typeof RecordedUpstream>) {
  const upstream = new RecordedUpstream(...replies);
  return { upstream, minimax: createVideoProvider(account, minimaxProtocol('key'), upstream) };
}

test('an order in its words', async () => {
  const { upstream, minimax } = provider([200, { task_id: TASK.upstreamId, base_resp: { status_code: 0 } }]);
  expect(await minimax.submit({ ...order, aspectRatio: '9:16' }, CALL)).toEqual(TASK);
  expect(upstream.sent).toEqual([
    {
      method: 'POST',
      url: 'https://minimax.test/api/v2/video_generation',
      headers: expect.objectContaining({ authorization: 'Bearer key', 'content-type': 'application/json' }),
      body: {
        model: 'MiniMax-H3',
        content: [{ type: 'text', text: 'a cat' }],
        duration: 5,
        resolution: '2K',
        ratio: '9:16',
      },
    },
  ]);
});

test('one image is the first frame, several are references; links go as they are', async () => {
  const { upstream, minimax } = provider([200, { task_id: '1' }], [200, { task_id: '2' }]);
  await minimax.submit({ ...order, images: [upload] }, CALL);
  await minimax.submit({ ...order, images: [upload, { url: 'https://example.com/a.png' }] }, CALL);
  const image = (url: string, role: string) => ({ type: 'image_url', image_url: { url }, role });
  const data = `data:image/png;base64,${PNG_BASE64}`;
  expect(upstream.sent.map(({ body }) => [body.ratio, body.content.slice(1)])).toEqual([
    ['adaptive', [image(data, 'first_frame')]],
    ['adaptive', [image(data, 'reference_image'), image('https://example.com/a.png', 'reference_image')]],
  ]);
});

describe('what is no task', () => {
  const submit = (status: number, body: unknown, headers = {}) =>
    provider([status, body, headers]).minimax.submit(order, CALL);

  test.each([{}, { task_id: '' }, { task_id: null, base_resp: { status_code: 0, status_msg: 'success' } }])(
    'success without an id: %j',
    async (body) => expect(await submit(200, body)).toEqual({ upstreamId: undefined }),
  );

  test('a refusal that looks like success', async () => {
    const refused = (status_code: number) =>
      submit(200, { task_id: '', base_resp: { status_code, status_msg: 'words' } });
    await expect(refused(1026)).rejects.toMatchObject({ detail: expect.stringMatching(/content policy/) });
    await expect(refused(2013)).rejects.toMatchObject({ detail: 'words' });
    await expect(refused(1000)).rejects.toMatchObject({
      failure: { status: 500, message: expect.any(String) },
    });
    await expect(refused(1008)).rejects.toEqual(
      expect.objectContaining({ failure: { kind: 'status', status: 500 } }),
    );
  });

  test('a refusal by its status', async () => {
    const error = { type: 'error', error: { type: 'x', message: 'bad duration (2013)', http_code: '400' } };
    await expect(submit(400, error)).rejects.toMatchObject({
      failure: { status: 400, message: 'bad duration (2013)' },
    });
    await expect(submit(429, error, { 'retry-after': '7' })).rejects.toMatchObject({
      failure: { status: 429, retryAfterSeconds: 7 },
    });
  });

  test.each([[[]], [null], ['ok'], [{ task_id: 'x'.repeat(600) }]])('nonsense: %j', async (body) => {
    await expect(submit(200, body)).rejects.toMatchObject({ failure: { kind: 'broken' } });
  });
});

describe('a look', () => {
  const look = (body: unknown, status = 200) => provider([status, body]).minimax.poll(TASK, CALL);

  test('asks for the task', async () => {
    const { upstream, minimax } = provider([200, { task: { status: 'running' } }]);
    await minimax.poll(TASK, CALL);
    expect(upstream.sent).toMatchObject([
      { method: 'GET', url: `https://minimax.test/api/v2/query/video_generation/${TASK.upstreamId}` },
    ]);
  });

  test.each([
    ['queued', 'queued'],
    ['running', 'running'],
    ['cancelled', 'canceled'],
    ['expired', 'expired'],
  ])('%s is %s', async (status, state) => expect(await look({ task: { status } })).toEqual({ state }));

  test('done, with its link and the seconds it charges', async () => {
    const task = {
      status: 'succeeded',
      content: { url: 'https://cdn.test/a.mp4?Expires=1800000000' },
      duration: 6,
      usage: { output_seconds: 6 },
    };
    expect(await look({ task })).toEqual({
      state: 'completed',
      seconds: 6,
      videos: [
        {
          url: 'https://cdn.test/a.mp4?Expires=1800000000',
          durationSeconds: 6,
          expiresAtMs: 1_800_000_000_000,
        },
      ],
    });
    expect(await look({ task: { ...task, usage: { output_seconds: 'many' } } })).toMatchObject({
      seconds: Number.NaN,
    });
    expect(await look({ task: { ...task, usage: undefined } })).not.toHaveProperty('seconds');
    expect(await look({ task: { ...task, content: {} } })).toEqual({ state: 'unknown' });
  });

  test('failed, and why', async () => {
    const failed = (error: unknown) => look({ task: { status: 'failed', error } });
    expect(await failed({ code: '1026', message: 'x' })).toMatchObject({
      detail: expect.stringMatching(/content policy/),
    });
    expect(await failed({ code: '1000', message: 'generation failed' })).toMatchObject({
      detail: 'generation failed',
    });
    expect(await failed(undefined)).toMatchObject({ state: 'failed', detail: expect.any(String) });
  });

  test('a task it does not know, and words it has for none', async () => {
    expect(await look({ type: 'error' }, 404)).toEqual({ state: 'unknown' });
    await expect(look({ task: { status: 'resting' } })).rejects.toMatchObject({
      failure: { kind: 'broken' },
    });
    await expect(look({}, 503)).rejects.toMatchObject({ failure: { status: 503 } });
  });
});
