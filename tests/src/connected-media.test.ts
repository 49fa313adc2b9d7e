import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { placesOfSecrets } from './support/find-secrets';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { type MediaServer, startMediaServer } from './support/media-server';
import { readSamples } from './support/metrics';
import { type Customer, type System, startSystem } from './support/system';

const IMAGE_KEY = 'sk-image-0123456789abcdef';
const SECRET_KEYS = { one: 'kling-secret-one-0123456789', two: 'kling-secret-two-0123456789' };
const ROTATED = 'kling-secret-rotated-0123456789';
const IMAGE_NANO = 40_000_000n;
/** Five seconds at 0.05 USD. */
const VIDEO_NANO = 250_000_000n;

let server: MediaServer;
let system: System;
let customer: Customer;
let token: string;

beforeAll(async () => {
  server = await startMediaServer();
  system = await startSystem({ settings: { media: { VIDEO_POLL_INTERVAL_MS: '100' } } });
  customer = await system.provision();
  token = await system.operatorToken();
}, 60_000);
afterAll(async () => {
  await system?.stop();
  await server?.stop();
}, 30_000);

const admin = (method: 'GET' | 'POST', call: string, body?: unknown) =>
  system.dashboard.call(method, `admin/${call}`, token, body);

const post = (path: string, body: object): Promise<HttpAnswer> =>
  postJson(`${system.stack.apiUrl}/v1/${path}`, body, customer.apiKey);

const keysOf = (accessKey: string, secretKey: string) => ({ access_key: accessKey, secret_key: secretKey });

/** Waits until clients see the model and can call it. @param invalid an order that is always refused */
async function isCallable(slug: string, path: string, invalid: object): Promise<void> {
  await until(async () => {
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    return (await sendRequest(`${system.stack.apiUrl}/v1/models/${slug}`, 'GET', headers)).status === 200;
  });
  await until(async () => {
    const { json } = await post(path, { model: slug, prompt: 'x', ...invalid });
    return json.error.code !== 'model_not_found';
  });
}

test('a connected server of images makes one, which is billed exactly, and its rejected credential is left', async () => {
  server.imageKeys.add(IMAGE_KEY);
  const credentials = [
    { name: 'wrong', secret: 'sk-wrong-0123456789abcdef', weight: 1_000_000 },
    { name: 'main', secret: IMAGE_KEY, weight: 1 },
  ];
  await admin('POST', 'providers', {
    id: 'shots',
    kind: 'openai',
    base_url: `${server.origin}/v1`,
    credentials,
  });
  await admin('POST', 'models', {
    slug: 'shots/image',
    name: 'Shots',
    input_modalities: ['text'],
    output_modalities: ['image'],
    targets: [{ provider: 'shots', upstream_model: 'x-image' }],
    image: { sizes: ['1024x1024'], default_size: '1024x1024', formats: ['png'], max_n: 1 },
    pricing: { image: { per_image: [{ price: 0.04 }] } },
  });
  await isCallable('shots/image', 'images/generations', { n: 9 });
  const made = await post('images/generations', { model: 'shots/image', prompt: 'a cat' });
  expect([made.status, made.json.data]).toEqual([200, [{ b64_json: expect.stringMatching(/^iVBOR/) }]]);
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect(charges).toEqual(new Map([[String(made.headers['x-request-id']), IMAGE_NANO]]));
  const provider = await admin('GET', 'providers/shots');
  expect(provider.credentials).toMatchObject([
    { name: 'wrong', circuit: 'suspect', errors: 1, last_failure: { status: 401 } },
    { name: 'main', circuit: 'closed', calls: 1, errors: 0 },
  ]);
  const samples = await readSamples(system.stack.adminUrl('media'), 'media_credential_calls_total');
  expect(
    samples.map(({ labels, value }) => `${labels.credential} ${labels.outcome} ${value}`).sort(),
  ).toEqual(['main answered 1', 'wrong 401 1']);
});

test('tasks are polled with the credentials that created them, and outlive a rotation and a deletion', async () => {
  server.videoKeys.set('AK-1', SECRET_KEYS.one).set('AK-2', SECRET_KEYS.two);
  await admin('POST', 'providers', {
    id: 'films',
    kind: 'kling',
    base_url: server.origin,
    credentials: [
      { name: 'one', secret: keysOf('AK-1', SECRET_KEYS.one), weight: 1 },
      { name: 'two', secret: JSON.stringify(keysOf('AK-2', SECRET_KEYS.two)), weight: 0 },
    ],
  });
  expect(await admin('POST', 'providers/films/test', {})).toMatchObject({
    ok: true,
    models: null,
    failure: null,
  });
  const { credentials } = await admin('GET', 'providers/films');
  expect(credentials).toMatchObject([{ hint: 'AK-1' }, { hint: 'AK-2' }]);
  const [one, two] = credentials.map(({ id }: { id: string }) => id);
  await admin('POST', 'models', {
    slug: 'films/video',
    name: 'Films',
    input_modalities: ['text'],
    output_modalities: ['video'],
    workflow: ['create', 'status', 'result'],
    targets: [{ provider: 'films', upstream_model: 'kling-v9' }],
    video: { durations: [5], default_duration: 5, tiers: { std: { resolution: '720p' } } },
    pricing: { video: { tiers: ['std'], per_second: { std: 0.05 }, default_tier: 'std' } },
  });
  await isCallable('films/video', 'videos/films/create', { duration: 7 });

  const create = () => post('videos/films/create', { model: 'films/video', prompt: 'a cat' });
  const first = await create();
  server.limited.add('AK-1');
  const second = await create();
  expect([first.status, second.status]).toEqual([200, 200]);
  const [firstTask, secondTask] = server.created.map(([, id]) => id);
  expect(server.created).toEqual([
    ['AK-1', firstTask],
    ['AK-2', secondTask],
  ]);
  const isPolled = (accessKey: string, id: string | undefined) =>
    until(() => server.polls.some(([key, task]) => key === accessKey && task === id));
  await isPolled('AK-1', firstTask);
  await isPolled('AK-2', secondTask);
  expect(new Set(server.polls.map(String))).toEqual(new Set([`AK-1,${firstTask}`, `AK-2,${secondTask}`]));

  server.videoKeys.set('AK-3', ROTATED);
  await admin('POST', `providers/films/credentials/${one}/update`, { secret: keysOf('AK-3', ROTATED) });
  server.videoKeys.delete('AK-1');
  await admin('POST', `providers/films/credentials/${two}/delete`, {});
  server.videoKeys.delete('AK-2');
  server.polls.length = 0;
  await isPolled('AK-3', firstTask);
  await isPolled('AK-3', secondTask);

  server.done = true;
  for (const [created, task] of [
    [first, firstTask],
    [second, secondTask],
  ] as const) {
    const { task_id } = created.json;
    await until(async () => (await post('videos/films/status', { task_id })).json.status === 'completed');
    const { json } = await post('videos/films/result', { task_id });
    expect(json.videos).toMatchObject([{ url: `https://cdn.test/${task}.mp4`, duration: 5.041 }]);
  }
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  for (const { headers } of [first, second]) {
    expect(charges.get(String(headers['x-request-id']))).toBe(VIDEO_NANO);
  }
  expect(charges.size).toBe(3);
  expect(await system.drift()).toBe(0);
}, 60_000);

test('a wrong credential of a provider of videos is named by a test, and its models can not be listed', async () => {
  const secret = keysOf('AK-9', 'kling-secret-wrong-0123456789');
  const { id } = await admin('POST', 'providers/films/credentials', { name: 'wrong', secret, weight: 0 });
  const failed = await admin('POST', 'providers/films/test', { credential_id: id });
  expect(failed).toMatchObject({ ok: false, credential: { id, name: 'wrong' }, failure: { status: 401 } });
  expect(failed.failure.message).toBe('Unknown token …');
  const listed = await system.dashboard.tryCall('GET', 'admin/providers/films/models', token);
  expect(listed).toMatchObject({ status: 502 });
  await admin('POST', `providers/films/credentials/${id}/delete`, {});
});

test('no secret of a credential is in a table, a file or a log in clear', async () => {
  const secrets = [IMAGE_KEY, ROTATED, ...Object.values(SECRET_KEYS)];
  expect(await placesOfSecrets(system, secrets)).toEqual([]);
});
