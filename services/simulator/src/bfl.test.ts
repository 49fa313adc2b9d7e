import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { drawImage, imageFormatOf } from './domain/files/image';
import { Fixture, sim } from './server.fixture';

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

const KEY = { 'x-key': 'k' };

interface Submitted {
  readonly id: string;
  readonly polling_url: string;
}

interface Look {
  readonly status: string;
  readonly result: { readonly sample: string } | null;
}

async function submit(prompt: string, more: object = {}, headers: Record<string, string> = {}) {
  const response = await simulator.post('/bfl/v1/flux-2-pro', { prompt, ...more }, { ...KEY, ...headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Submitted;
}

const poll = async ({ polling_url }: Submitted) =>
  (await (await simulator.get(polling_url, KEY)).json()) as Look;
const wait = (seconds: number) => {
  clock.nowMs += seconds * 1_000;
};
const fileOf = async (url: string) => {
  const response = await fetch(url);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

test('a task is pending, then ready by the clock, and is metered once, polled or not', async () => {
  const task = await submit(sim({ task_seconds: 5 }), {}, { 'x-request-id': 'r1' });
  expect(task.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  expect(task).toMatchObject({ output_mp: 1, input_mp: 0 });
  wait(4.9);
  expect(await poll(task)).toMatchObject({ id: task.id, status: 'Pending', result: null });
  expect((await simulator.meter()).images).toBe(0);
  wait(0.1);
  const endedAt = new Date(clock.nowMs).toISOString();
  wait(100);
  expect(await simulator.meter()).toMatchObject({ calls: 1, tasks: 1, images: 1 });
  expect(await poll(task)).toMatchObject({ status: 'Ready' });
  const { tasks, entries } = await simulator.meter('?request_id=r1');
  expect(tasks).toBe(1);
  expect(entries).toMatchObject([
    { kind: 'call', model: 'flux-2-pro', status: 200, media: { images: 0, task_id: task.id } },
    {
      kind: 'task',
      model: 'flux-2-pro',
      at: endedAt,
      finished: true,
      media: { images: 1, size: '1024x1024', task_id: task.id },
    },
  ]);
});

test('the result is an image of the requested size, equal for equal requests, with links that expire', async () => {
  const ask = { width: 640, height: 384, output_format: 'png' };
  const task = await submit('a cat', ask);
  const twin = await submit('a cat', ask);
  wait(1);
  const link = (await poll(task)).result?.sample ?? '';
  const { response, bytes } = await fileOf(link);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect([imageFormatOf(bytes), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(['png', 640, 384]);
  expect((await fileOf((await poll(twin)).result?.sample ?? '')).bytes).toEqual(bytes);
  wait(600);
  expect((await fileOf(link)).response.status).toBe(403);
  const anew = (await poll(task)).result?.sample ?? '';
  expect(anew).not.toBe(link);
  expect((await fileOf(anew)).bytes).toEqual(bytes);
  expect((await fileOf(anew.replace(task.id, twin.id))).response.status).toBe(403);
});

test('links are valid as long as the directive sets', async () => {
  const task = await submit(sim({ url_seconds: 3, task_seconds: 0 }));
  const link = (await poll(task)).result?.sample ?? '';
  wait(2.9);
  expect((await fileOf(link)).response.status).toBe(200);
  wait(0.1);
  expect((await fileOf(link)).response.status).toBe(403);
});

test('input images arrive complete', async () => {
  const [a, b] = ['a', 'b'].map((seed) => drawImage('jpeg', { width: 32, height: 32 }, seed)) as [
    Buffer,
    Buffer,
  ];
  const input_image = `data:image/jpeg;base64,${a.toString('base64')}`;
  const more = { input_image, input_image_2: b.toString('base64') };
  await submit('hat', more, { 'x-request-id': 'r2' });
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  expect(await simulator.entryOf('r2')).toMatchObject({
    media: {
      uploads: [
        { part: 'input_image', bytes: a.length, sha256: hash(a) },
        { part: 'input_image_2', bytes: b.length, sha256: hash(b) },
      ],
    },
  });
});

test('input images are counted in megapixels, each rounded up', async () => {
  const large = drawImage('png', { width: 1_025, height: 1_024 }, 'large').toString('base64');
  const small = drawImage('png', { width: 32, height: 32 }, 'small').toString('base64');
  const task = await submit('hat', { input_image: `data:image/png;base64,${large}`, input_image_2: small });
  expect(task).toMatchObject({ input_mp: 3, output_mp: 1 });
  wait(1);
  const { entries } = await simulator.meter();
  expect(entries.at(-1)).toMatchObject({
    kind: 'task',
    media: { uploads: [{ megapixels: 2 }, { megapixels: 1 }] },
  });
});

test.each([
  [{ policy: true }, 'Request Moderated'],
  [{ task_status: 'Content Moderated' }, 'Content Moderated'],
  [{ task_status: 'failed' }, 'Error'],
  [{ task_status: 'Failed' }, 'Failed'],
  [{ task_status: 'Throttled' }, 'Throttled'],
])('%j ends as %s and is free', async (directive, status) => {
  const task = await submit(sim(directive));
  expect(await poll(task)).toMatchObject({ status: 'Pending' });
  wait(1);
  expect(await poll(task)).toMatchObject({ status, result: null });
  const { tasks, images, entries } = await simulator.meter();
  expect([tasks, images]).toEqual([0, 0]);
  expect(entries[1]).toMatchObject({ kind: 'task', finished: false, media: { images: 0, task_id: task.id } });
});

test('a task with the outcome "queued" never ends', async () => {
  const task = await submit(sim({ task_status: 'Pending' }));
  wait(3_600);
  expect(await poll(task)).toMatchObject({ status: 'Pending' });
  expect((await simulator.meter()).entries).toHaveLength(1);
});

test('a success without an id creates no task', async () => {
  const body = await submit(sim({ omit_task_id: true }));
  expect(body).toEqual({ cost: null, input_mp: 0, output_mp: 1 });
  wait(10);
  expect(await simulator.meter()).toMatchObject({ calls: 1, tasks: 0, images: 0 });
});

test('a task whose submission got no reply exists and is metered', async () => {
  const cut = simulator.post('/bfl/v1/flux-2-pro', { prompt: sim({ drop_after_chunks: 0 }) }, KEY);
  await expect(cut.then((response) => response.text())).rejects.toThrow();
  wait(1);
  expect(await simulator.meter()).toMatchObject({ tasks: 1, images: 1 });
});

test('tasks are deleted after a day', async () => {
  const task = await submit('x');
  wait(24 * 3_600 + 1);
  const response = await simulator.get(task.polling_url, KEY);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ id: task.id, status: 'Task not found' });
  expect((await simulator.meter()).images).toBe(1);
});

test('invalid requests are refused', async () => {
  const ask = async (body: object, headers: Record<string, string> = KEY) =>
    (await simulator.post('/bfl/v1/flux-2-pro', body, headers)).status;
  expect(await ask({ prompt: 'x' }, {})).toBe(403);
  expect(await ask({})).toBe(422);
  expect(await ask({ prompt: 'x', width: 32 })).toBe(422);
  expect(await ask({ prompt: 'x', width: 4_096, height: 4_096 })).toBe(422);
  expect(await ask({ prompt: 'x', output_format: 'webp' })).toBe(422);
  expect(await ask({ prompt: 'x', input_image: 'no image' })).toBe(422);
  expect(await ask({ prompt: 'x', n: 2 })).toBe(422);
  expect(await ask({ prompt: sim({ status: 402 }) })).toBe(402);
  expect((await simulator.get('/bfl/v1/get_result?id=x')).status).toBe(403);
  expect((await simulator.get('/files/bfl/x/1/y.png')).status).toBe(403);
});
