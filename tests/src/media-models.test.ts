import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { nano, readLedger } from './support/ledger';
import type { MeterEntry } from './support/meter';
import { type Customer, type System, startSystem } from './support/system';

jest.setTimeout(180_000);

/** A model as `/api/v1/models` returns it. */
interface ListedModel {
  readonly slug: string;
  readonly image: { readonly max_input_images: number };
  readonly video: { readonly default_duration: number };
  readonly pricing: {
    readonly image?: {
      readonly per_image: readonly {
        readonly size: string;
        readonly quality: string;
        readonly price: number;
      }[];
      readonly text_input: number;
      readonly image_input: number;
      readonly image_output: number;
      readonly input_megapixel?: number;
    };
    readonly video?: {
      readonly default_tier: string;
      readonly per_second: Readonly<Record<string, number>>;
    };
  };
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const REFERENCE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Names of models that only make videos from images. */
const OF_IMAGES = /-i2v$/;
const POLL_MS = 100;
const DONE_WITHIN_MS = 20_000;

let system: System;
let customer: Customer;
let images: ListedModel[];
let videos: ListedModel[];

beforeAll(async () => {
  system = await startSystem({ settings: { media: { VIDEO_POLL_INTERVAL_MS: '200' } } });
  customer = await system.provision({ balanceUsd: 100 });
  const listed = async (type: string) =>
    (await system.dashboard.call('GET', `models?type=${type}`, customer.token)).data;
  [images, videos] = [await listed('image'), await listed('video')];
});
afterAll(async () => {
  if (system) {
    await system.settled(customer);
    expect(await system.drift()).toBe(0);
  }
  await system?.stop();
});

const post = (path: string, body: unknown) =>
  postJson(`${system.stack.apiUrl}/v1/${path}`, body, customer.apiKey);
const entriesOf = async ({ headers }: HttpAnswer): Promise<readonly MeterEntry[]> =>
  (await system.meter({ requestId: String(headers['x-request-id']) })).entries;

/** Returns the price of the metered usage at the model's catalog prices. */
function priceOf({ pricing, slug }: ListedModel, entries: readonly MeterEntry[]): bigint {
  const image = pricing.image!;
  const sum = (pick: (entry: MeterEntry) => number) =>
    entries.reduce((total, entry) => total + pick(entry), 0);
  const made = sum(({ media }) => media?.images ?? 0);
  expect([slug, made]).toEqual([slug, 1]);
  const flat =
    image.per_image.find(({ size, quality }) => size === '1024x1024' && quality === 'medium') ??
    image.per_image.find(({ size }) => size === '');
  if (flat) {
    const megapixels = entries
      .filter(({ media }) => media?.images)
      .flatMap(({ media }) => media!.uploads)
      .reduce((total, { megapixels = 0 }) => total + megapixels, 0);
    return nano(flat.price) + BigInt(megapixels) * nano(image.input_megapixel ?? 0);
  }
  const [sent, out] = [
    sum(({ media }) => media?.input_image_tokens ?? 0),
    sum(({ media }) => media?.output_image_tokens ?? 0),
  ];
  const text = sum((entry) => entry.prompt_tokens) - sent;
  const perMillion =
    BigInt(text) * nano(image.text_input) +
    BigInt(sent) * nano(image.image_input ?? 0) +
    BigInt(out) * nano(image.image_output);
  return (perMillion + 999_999n) / 1_000_000n;
}

function form(fields: Record<string, string>, part: string, file: Buffer): { type: string; body: Buffer } {
  const boundary = 'a-boundary-of-this-test';
  const pieces = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(pieces.join('') + head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

async function edit(model: string, file: Buffer): Promise<HttpAnswer> {
  const { type, body } = form({ model, prompt: 'the same cat, asleep' }, 'image', file);
  const headers = {
    authorization: `Bearer ${customer.apiKey}`,
    'content-type': type,
    'content-length': body.length,
  };
  return sendRequest(`${system.stack.apiUrl}/v1/images/edits`, 'POST', headers, body);
}

test('/v1/models lists by type every image and video model that the dashboard lists', async () => {
  const listed = async (path: string) =>
    sendRequest(`${system.stack.apiUrl}/v1/${path}`, 'GET', { authorization: `Bearer ${customer.apiKey}` });
  for (const [type, known] of [
    ['image', images],
    ['video', videos],
  ] as const) {
    const { data } = (await listed(`models?type=${type}`)).json as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(known.map(({ slug }) => slug));
  }
  expect((await listed('models/sim/video')).json).toMatchObject({
    id: 'sim/video',
    object: 'model',
    owned_by: 'sim',
    pricing: { video: { tiers: ['std', 'pro'], default_tier: 'std' } },
    video: { default_duration: 5 },
  });
  expect((await listed('models?type=music')).json).toMatchObject({
    error: {
      code: 'invalid_request',
      detail: 'type: must be one of chat, image, video, embedding, moderation, rerank, speech, transcription',
    },
  });
});

test('images and videos can be ordered by alias and are billed to the slug', async () => {
  const modelOf = async (requestId: unknown) =>
    (await system.dashboard.call('GET', `requests/${requestId}`, customer.token)).model;
  const image = await post('images', { model: 'sim/image-2026-01-01', prompt: 'A cat.' });
  const prompt = '[[sim {"task_seconds":0}]] a cat';
  const video = await post('videos/sim/create', { model: 'sim/video-2026-01-01', prompt });
  expect([image.status, video.status, video.json.model]).toEqual([200, 200, 'sim/video']);
  await result('sim', video.json.task_id);
  await system.settled(customer);
  expect(await modelOf(image.headers['x-request-id'])).toBe('sim/image');
  expect(await modelOf(video.headers['x-request-id'])).toBe('sim/video');
  const withoutProvider = await post('images', { model: 'image-2026-01-01', prompt: 'A cat.' });
  expect(withoutProvider.json.error.code).toBe('invalid_model');
});

test('every image model of the catalog generates and edits an image at its catalog price', async () => {
  expect(images.length).toBeGreaterThan(5);
  for (const model of images) {
    const made = await post('images', { model: model.slug, prompt: 'a cat' });
    expect([model.slug, made.status, made.json?.data?.length]).toEqual([model.slug, 200, 1]);
    const file = Buffer.from(made.json.data[0].b64_json, 'base64');
    expect([model.slug, file.subarray(0, 8)]).toEqual([model.slug, PNG]);
    const answers = [made];
    if (model.image.max_input_images > 0) answers.push(await edit(model.slug, file));
    await system.settled(customer);
    const { charges } = await readLedger(system, customer);
    for (const answer of answers) {
      expect([model.slug, answer.status]).toEqual([model.slug, 200]);
      const id = String(answer.headers['x-request-id']);
      expect([model.slug, charges.get(id)]).toEqual([model.slug, priceOf(model, await entriesOf(answer))]);
    }
  }
});

async function result(provider: string, taskId: string): Promise<HttpAnswer> {
  const deadlineMs = Date.now() + DONE_WITHIN_MS;
  for (;;) {
    const { json } = await post(`videos/${provider}/status`, { task_id: taskId });
    if (json.status === 'completed') return post(`videos/${provider}/result`, { task_id: taskId });
    if (Date.now() > deadlineMs) throw new Error(`${provider}: ${JSON.stringify(json)}`);
    await sleep(POLL_MS);
  }
}

test('every video model of the catalog generates a video at its catalog price', async () => {
  expect(videos.length).toBeGreaterThan(5);
  const made = await Promise.all(
    videos.map(async ({ slug, video, pricing }) => {
      const provider = slug.split('/')[0]!;
      const created = await post(`videos/${provider}/create`, {
        model: slug,
        prompt: '[[sim {"task_seconds":0}]] a cat',
        ...(OF_IMAGES.test(slug) && { reference_images: [REFERENCE] }),
      });
      expect([slug, created.status, created.json]).toEqual([
        slug,
        200,
        expect.objectContaining({ model: slug }),
      ]);
      const { json } = await result(provider, created.json.task_id);
      expect([slug, json.videos?.[0]?.duration]).toEqual([slug, video.default_duration]);
      const file = await fetch(json.videos[0].url);
      expect([slug, file.status, file.headers.get('content-type')]).toEqual([slug, 200, 'video/mp4']);
      await file.body?.cancel();
      const { default_tier, per_second } = pricing.video!;
      const costNano = nano(per_second[default_tier]!) * BigInt(video.default_duration);
      return { slug, id: String(created.headers['x-request-id']), costNano };
    }),
  );
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  for (const { slug, id, costNano } of made) expect([slug, charges.get(id)]).toEqual([slug, costNano]);
});

test('after all orders no bill is left open', async () => {
  await system.settled(customer);
  const deadlineMs = Date.now() + DONE_WITHIN_MS;
  while ((await system.bills()) > 0 && Date.now() < deadlineMs) await sleep(POLL_MS);
  expect(await system.bills()).toBe(0);
  expect(await system.metric('billing', 'dead_letters')).toBe(0);
  expect(await system.metric('billing', 'operator_loss_nano')).toBe(0);
});
