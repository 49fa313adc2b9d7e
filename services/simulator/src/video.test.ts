import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { drawImage } from './domain/files/image';
import { Fixture, klingToken, sim } from './server.fixture';

const clock = { nowMs: Date.UTC(2026, 10, 21) };
let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start(clock);
});
afterAll(() => simulator.stop());
beforeEach(() => {
  // What an earlier test began has ended.
  clock.nowMs += 3_600_000;
  return simulator.post('/meter/reset', {});
});

const wait = (seconds: number) => {
  clock.nowMs += seconds * 1_000;
};

// biome-ignore lint/suspicious/noExplicitAny: four shapes of JSON, each told by its own paths below.
type Body = any;

/** One provider's way to ask for five or six seconds of video at its lower tier, and where it says what. */
interface Way {
  readonly path: string;
  readonly poll: (id: string) => string;
  readonly headers: () => Record<string, string>;
  readonly body: (prompt: string, image?: Buffer) => object;
  readonly id: (body: Body) => string | undefined;
  readonly status: (body: Body) => unknown;
  readonly url: (body: Body) => string | undefined;
  readonly told: (body: Body) => unknown;
  readonly waiting: readonly [queued: unknown, running: unknown];
  readonly done: unknown;
  readonly idShape: RegExp;
  readonly seconds: number;
  readonly tier: string;
  readonly pixels: string;
}

const BEARER = () => ({ authorization: 'Bearer k' });
const base64 = (image: Buffer) => image.toString('base64');
const isDone = (body: Body) => (body.done === true ? (body.error ? 'error' : 'done') : 'waiting');

const WAYS: Readonly<Record<string, Way>> = {
  minimax: {
    path: '/minimax/v2/video_generation',
    poll: (id) => `/minimax/v2/query/video_generation/${id}`,
    headers: BEARER,
    body: (text, image) => ({
      model: 'MiniMax-H3',
      content: [
        { type: 'text', text },
        ...(image === undefined
          ? []
          : [
              {
                type: 'image_url',
                image_url: { url: `data:image/png;base64,${base64(image)}` },
                role: 'first_frame',
              },
            ]),
      ],
      duration: 5,
      resolution: '768P',
      ratio: '16:9',
    }),
    id: (body) => body.task_id,
    status: (body) => body.task.status,
    url: (body) => body.task.content?.url,
    told: (body) => body.task.usage,
    waiting: ['queued', 'running'],
    done: 'succeeded',
    idShape: /^\d{15}$/,
    seconds: 5,
    tier: '768P',
    pixels: '1366x768',
  },
  kling: {
    path: '/kling/v1/videos/image2video',
    poll: (id) => `/kling/v1/videos/image2video/${id}`,
    headers: () => ({ authorization: `Bearer ${klingToken(clock.nowMs)}` }),
    body: (prompt, image = drawImage('png', { width: 8, height: 8 }, 'k')) => ({
      model_name: 'kling-v2-6',
      prompt,
      image: base64(image),
      mode: 'pro',
      duration: '5',
    }),
    id: (body) => body.data.task_id,
    status: (body) => body.data.task_status,
    url: (body) => body.data.task_result?.videos[0].url,
    told: (body) => body.data.task_result?.videos[0].duration,
    waiting: ['submitted', 'processing'],
    done: 'succeed',
    idShape: /^\d{18}$/,
    seconds: 5,
    tier: 'pro',
    pixels: '1920x1080',
  },
  dashscope: {
    path: '/dashscope/api/v1/services/aigc/video-generation/video-synthesis',
    poll: (id) => `/dashscope/api/v1/tasks/${id}`,
    headers: () => ({ ...BEARER(), 'x-dashscope-async': 'enable' }),
    body: (prompt, image) => ({
      model: 'wan2.6',
      input: { prompt, ...(image === undefined ? {} : { img_url: base64(image) }) },
      parameters: { size: '832*480', duration: 5 },
    }),
    id: (body) => body.output.task_id,
    status: (body) => body.output.task_status,
    url: (body) => body.output.video_url,
    told: (body) => body.usage,
    waiting: ['PENDING', 'RUNNING'],
    done: 'SUCCEEDED',
    idShape: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    seconds: 5,
    tier: '480P',
    pixels: '832x480',
  },
  gemini: {
    path: '/gemini/v1beta/models/veo-3.1:predictLongRunning',
    poll: (id) => `/gemini/v1beta/${id}`,
    headers: () => ({ 'x-goog-api-key': 'k' }),
    body: (prompt, image) => ({
      instances: [
        {
          prompt,
          ...(image === undefined
            ? {}
            : { image: { bytesBase64Encoded: base64(image), mimeType: 'image/png' } }),
        },
      ],
      parameters: { durationSeconds: 6, resolution: '720p', aspectRatio: '9:16' },
    }),
    id: (body) => body.name,
    status: isDone,
    url: (body) => body.response?.generateVideoResponse.generatedSamples?.[0].video.uri,
    told: () => undefined,
    waiting: ['waiting', 'waiting'],
    done: 'done',
    idShape: /^models\/veo-3\.1\/operations\/[0-9a-f]{32}$/,
    seconds: 6,
    tier: '720p',
    pixels: '720x1280',
  },
};

const TOLD: Readonly<Record<string, unknown>> = {
  minimax: { output_seconds: 5 },
  kling: '5.0',
  dashscope: expect.objectContaining({ duration: 5, SR: 480, size: '832*480', video_count: 1 }),
  gemini: undefined,
};

const post = (way: Way, prompt: string, headers: Record<string, string> = {}, image?: Buffer) =>
  simulator.post(way.path, way.body(prompt, image), { ...way.headers(), ...headers });

async function submit(way: Way, prompt: string, headers: Record<string, string> = {}, image?: Buffer) {
  const response = await post(way, prompt, headers, image);
  const body: Body = await response.json();
  expect([response.status, body]).toEqual([200, expect.anything()]);
  return way.id(body) ?? '';
}

const look = async (way: Way, id: string): Promise<Body> =>
  (await simulator.get(way.poll(id), way.headers())).json();

describe.each(Object.entries(WAYS))('%s', (provider, way) => {
  test('a task is queued, runs and succeeds by the clock, and its seconds are metered once', async () => {
    const id = await submit(way, sim({ task_seconds: 10 }), { 'x-request-id': 'v1' });
    expect(id).toMatch(way.idShape);
    expect(way.status(await look(way, id))).toBe(way.waiting[0]);
    wait(9.9);
    const running = await look(way, id);
    expect([way.status(running), way.url(running)]).toEqual([way.waiting[1], undefined]);
    expect(await simulator.meter()).toMatchObject({ tasks: 0, seconds: 0 });
    wait(0.1);
    expect(await simulator.meter()).toMatchObject({ calls: 1, tasks: 1, seconds: way.seconds });
    const done = await look(way, id);
    expect(way.status(done)).toBe(way.done);
    expect(way.told(done)).toEqual(TOLD[provider]);
    const { seconds, entries } = await simulator.meter('?request_id=v1');
    expect(seconds).toBe(way.seconds);
    const media = { tier: way.tier, size: way.pixels, task_id: id };
    expect(entries).toMatchObject([
      { kind: 'call', provider, status: 200, media: { ...media, seconds: 0 } },
      { kind: 'task', provider, finished: true, media: { ...media, seconds: way.seconds } },
    ]);
  });

  test('the video is a file, equal for equal requests', async () => {
    const ids = [await submit(way, 'a cat'), await submit(way, 'a cat'), await submit(way, 'a dog')];
    wait(1);
    const files = await Promise.all(
      ids.map(async (id) => {
        const response = await simulator.get(way.url(await look(way, id)) ?? '', way.headers());
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4']);
        return Buffer.from(await response.arrayBuffer());
      }),
    );
    expect(files[0]?.toString('latin1', 4, 12)).toBe('ftypisom');
    expect(files[1]).toEqual(files[0]);
    expect(files[2]).not.toEqual(files[0]);
  });

  test('an input image arrives complete', async () => {
    const image = drawImage('png', { width: 40, height: 30 }, 'frame');
    await submit(way, 'x', { 'x-request-id': 'v2' }, image);
    const sha256 = createHash('sha256').update(image).digest('hex');
    const entry = await simulator.entryOf('v2');
    expect(entry).toMatchObject({ media: { uploads: [{ bytes: image.length, sha256 }] } });
  });

  test('a success without an id creates no task', async () => {
    const response = await post(way, sim({ omit_task_id: true }));
    expect([response.status, way.id(await response.json())]).toEqual([200, undefined]);
    wait(10);
    expect(await simulator.meter()).toMatchObject({ calls: 1, tasks: 0, seconds: 0 });
  });

  test('a failed task is free', async () => {
    const id = await submit(way, sim({ task_status: 'failed' }));
    wait(1);
    const body = await look(way, id);
    expect(['failed', 'FAILED', 'error']).toContain(way.status(body));
    expect(way.url(body)).toBeUndefined();
    expect(await simulator.meter()).toMatchObject({ tasks: 0, seconds: 0 });
  });

  test('a directive sets more seconds than requested', async () => {
    await submit(way, sim({ seconds: 60 }));
    wait(1);
    expect((await simulator.meter()).seconds).toBe(60);
  });

  test('failures and resets before the task exists', async () => {
    expect((await post(way, sim({ status: 503 }))).status).toBe(503);
    expect((await post(way, sim({ status: 429, retry_after: 3 }))).status).toBe(429);
    await expect(post(way, sim({ reset: true }))).rejects.toThrow('fetch failed');
    expect((await simulator.post(way.path, way.body('x'), { authorization: '' })).status).toBeGreaterThan(
      400,
    );
    expect((await simulator.post(way.path, {}, way.headers())).status).toBe(400);
    wait(10);
    expect(await simulator.meter()).toMatchObject({ calls: 5, tasks: 0 });
  });
});

describe('a refusal by the content policy', () => {
  const refusal = async (way: Way) => {
    const response = await post(way, sim({ policy: true }));
    const body: Body = await response.json();
    if (response.status !== 200) return [response.status, body.code ?? body.error.message];
    wait(1);
    const seen = await look(way, way.id(body) ?? '');
    return seen.output?.code ?? seen.response;
  };

  test.each([
    ['minimax', [422, 'video description contains sensitive content (1026)']],
    ['kling', [400, 1301]],
    ['dashscope', 'DataInspectionFailed'],
    [
      'gemini',
      expect.objectContaining({
        generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [expect.any(String)] },
      }),
    ],
  ])('%s', async (provider, expected) => {
    expect(await refusal(WAYS[provider]!)).toEqual(expected);
    expect(await simulator.meter()).toMatchObject({ tasks: 0, seconds: 0 });
  });
});

describe('a refusal in a reply that looks successful', () => {
  test.each([
    ['minimax', { task_id: '', base_resp: { status_code: 1008, status_msg: 'no money' } }],
    ['kling', { code: 1102, message: 'no money', request_id: expect.any(String) }],
  ])('%s', async (provider, body) => {
    const response = await post(WAYS[provider]!, sim({ status: 200, error: 'no money' }));
    expect([response.status, await response.json()]).toEqual([200, body]);
    wait(10);
    expect(await simulator.meter()).toMatchObject({ calls: 1, tasks: 0 });
  });
});

test('a Kling task is also found by the id that its caller chose, until it is deleted', async () => {
  const way = WAYS.kling!;
  const body = { ...(way.body(sim({ task_seconds: 1 })) as object), external_task_id: 'my-own_1' };
  const headers = way.headers();
  const { data }: Body = await (await simulator.post(way.path, body, headers)).json();
  expect(await look(way, 'my-own_1')).toMatchObject({ data: { task_id: data.task_id } });
  wait(24 * 3_600 + 1);
  expect(await look(way, 'my-own_1')).toMatchObject({ code: 1203 });
  const odd = { ...body, external_task_id: 'a/b' };
  expect((await simulator.post(way.path, odd, way.headers())).status).toBe(400);
});

describe("Kling's tokens", () => {
  const code = async (authorization: string) => {
    const response = await simulator.get('/kling/v1/videos/text2video/1', { authorization });
    return ((await response.json()) as { code: number }).code;
  };
  const nowSeconds = () => Math.floor(clock.nowMs / 1_000);

  test.each([
    ['none', () => '', 1001],
    ['an API key instead of a token', () => 'Bearer k', 1002],
    ['a token signed with another secret', () => `Bearer ${klingToken(clock.nowMs, {}, 'other')}`, 1002],
    ['a token without issuer', () => `Bearer ${klingToken(clock.nowMs, { iss: '' })}`, 1002],
    [
      'a token that is not yet valid',
      () => `Bearer ${klingToken(clock.nowMs, { nbf: nowSeconds() + 9 })}`,
      1003,
    ],
    ['expired', () => `Bearer ${klingToken(clock.nowMs, { exp: nowSeconds() })}`, 1004],
    ['a valid token for an unknown task', () => `Bearer ${klingToken(clock.nowMs)}`, 1203],
  ])('%s', async (_name, token, expected) => {
    expect(await code(token())).toBe(expected);
  });
});

test('each provider refuses what its real API refuses', async () => {
  const status = async (provider: string, change: (body: Body) => void, headers = {}) => {
    const way = WAYS[provider]!;
    const body: Body = way.body('x');
    change(body);
    return (await simulator.post(way.path, body, { ...way.headers(), ...headers })).status;
  };
  const set = (path: string, value: unknown) => (body: Body) => {
    const names = path.split('.');
    const last = names.pop() ?? '';
    names.reduce((inner, name) => inner[name], body)[last] = value;
  };
  expect(await status('minimax', set('model', 'm'.repeat(129)))).toBe(400);
  expect(await status('minimax', set('duration', 3))).toBe(400);
  expect(await status('minimax', set('resolution', '768p'))).toBe(400);
  expect(await status('minimax', set('ratio', 'adaptive'))).toBe(400);
  expect(await status('minimax', set('prompt', 'x'))).toBe(400);
  expect(await status('kling', set('duration', 5))).toBe(400);
  expect(await status('kling', set('duration', '7'))).toBe(400);
  expect(await status('kling', set('mode', '720p'))).toBe(400);
  expect(await status('kling', set('image', 'data:image/png;base64,AAAA'))).toBe(400);
  expect(await status('dashscope', set('parameters.size', '100*100'))).toBe(400);
  expect(await status('dashscope', set('parameters.duration', '5'))).toBe(400);
  expect(await status('dashscope', () => {}, { 'x-dashscope-async': 'no' })).toBe(403);
  expect(await status('gemini', set('parameters.durationSeconds', 5))).toBe(400);
  expect(await status('gemini', set('parameters.resolution', '1080p'))).toBe(400);
  expect(await status('gemini', set('parameters.sampleCount', 2))).toBe(400);
  expect(await status('gemini', set('parameters.tier', 'x'))).toBe(400);
});

test('unknown tasks, and files without a key, are refused', async () => {
  const dashscope = await look(WAYS.dashscope!, 'none');
  expect(dashscope.output).toEqual({ task_id: 'none', task_status: 'UNKNOWN' });
  for (const provider of ['minimax', 'gemini']) {
    const way = WAYS[provider]!;
    const path = way.poll(provider === 'gemini' ? 'models/veo-3.1/operations/none' : 'none');
    expect((await simulator.get(path, way.headers())).status).toBe(404);
  }
  const way = WAYS.gemini!;
  const id = await submit(way, 'x');
  const early = `/gemini/v1beta/files/${id.split('/').at(-1)}:download?alt=media&model=veo-3.1`;
  expect((await simulator.get(early, way.headers())).status).toBe(404);
  wait(1);
  const url = way.url(await look(way, id)) ?? '';
  expect((await simulator.get(url)).status).toBe(403);
  expect((await simulator.get(url, way.headers())).status).toBe(200);
});
