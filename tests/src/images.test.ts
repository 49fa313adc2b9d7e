import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { generateImage } from 'ai';
import OpenAI, { toFile } from 'openai';
import { type FormPart, writeForm } from './support/form';
import { type HttpAnswer, sendRequest } from './support/http';
import { meteredImageNano } from './support/image-cost';
import { nano, readLedger } from './support/ledger';
import { png } from './support/pictures';
import { type RecordingProxy, startRecordingProxy } from './support/recording-proxy';
import { type Customer, type System, startSystem } from './support/system';

jest.setTimeout(30_000);

/** A model of each image provider format, and the simulator's own model. */
const MODELS = ['openai/gpt-image-1.5', 'google/gemini-3.1-flash-image', 'bfl/flux-2-pro', 'sim/image'];
/** Those whose provider sends partial images, which have a price. */
const PARTIAL_MODELS = ['openai/gpt-image-1.5'];
const IMAGE_TIMEOUT_MS = 3_000;
/** Duration of FLUX's tasks; other models have no tasks. */
const SOON = '[[sim {"task_seconds":0.1}]]';

let system: System;
let customer: Customer;
let client: OpenAI;
let provider: RecordingProxy;
let uploadDir: string;

beforeAll(async () => {
  uploadDir = mkdtempSync(join(tmpdir(), 'uploads-'));
  provider = await startRecordingProxy();
  const media = {
    IMAGE_TIMEOUT_MS: String(IMAGE_TIMEOUT_MS),
    UPLOAD_DIR: uploadDir,
    OPENAI_BASE_URL: `${provider.origin}/openai/v1`,
    GEMINI_BASE_URL: `${provider.origin}/gemini`,
    BFL_BASE_URL: `${provider.origin}/bfl`,
    SIM_BASE_URL: provider.origin,
  };
  system = await startSystem({ settings: { media }, autoRestart: false });
  provider.target = system.stack.simulatorUrl;
  customer = await system.provision({ balanceUsd: 100 });
  client = new OpenAI({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
}, 60_000);
afterAll(async () => {
  await system?.stop();
  await provider?.stop();
  rmSync(uploadDir, { recursive: true, force: true });
}, 30_000);

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const upload = (bytes: Buffer, name = 'a.png') => toFile(bytes, name, { type: 'image/png' });
const fromBase64 = (text = '') => Buffer.from(text, 'base64');
const detailOf = (error: unknown) => (error as { error: { detail?: string } }).error.detail;
const idOf = (response: Response) => `${response.headers.get('x-request-id')}`;

/** Returns the images that providers have returned since the previous call. */
function sentImages(): Buffer[] {
  return provider.take().flatMap(({ path, body }) => {
    if (path.startsWith('/files/')) return [body];
    const text = body.toString();
    if (text.startsWith('event: ')) return imagesOfEvents(text);
    const { data = [], candidates = [] } = JSON.parse(text);
    const parts = candidates.flatMap(
      (candidate: { content?: { parts: object[] } }) => candidate.content?.parts ?? [],
    );
    return [
      ...data.map(({ b64_json }: { b64_json: string }) => fromBase64(b64_json)),
      ...parts.flatMap(({ inlineData }: { inlineData?: { data: string } }) =>
        inlineData ? [fromBase64(inlineData.data)] : [],
      ),
    ];
  });
}

const imagesOfEvents = (text: string): Buffer[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => fromBase64(JSON.parse(data).b64_json));

/** Checks that nothing is held and that the call's charge equals the provider's meter; returns the charge. */
async function expectBilled(slug: string, requestId: string): Promise<bigint> {
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  const metered = await meteredImageNano(system, customer, slug, requestId);
  expect(charges.get(requestId) ?? 0n).toBe(metered);
  return metered;
}

async function uploadsOf(requestId: string) {
  const { entries } = await system.meter({ requestId });
  return entries.find(({ media }) => (media?.uploads.length ?? 0) > 0)?.media?.uploads ?? [];
}

describe.each(MODELS)('%s with the official client', (model) => {
  test('generates an image as base64', async () => {
    sentImages();
    const { data, response } = await client.images
      .generate({ model, prompt: `A cat. ${SOON}` })
      .withResponse();
    const images = (data.data ?? []).map(({ b64_json }) => fromBase64(b64_json));
    expect(images).toEqual(sentImages());
    expect(images).toHaveLength(1);
    expect(data).toMatchObject({ created: expect.any(Number), size: '1024x1024', output_format: 'png' });
    expect(await expectBilled(model, idOf(response))).toBeGreaterThan(0n);
  });

  test('generates an image as a URL', async () => {
    sentImages();
    const { data, response } = await client.images
      .generate({ model, prompt: `A dog. ${SOON}`, response_format: 'url' })
      .withResponse();
    const [image] = data.data ?? [];
    // A URL of the provider or a data URL.
    const fetched = Buffer.from(await (await fetch(image?.url ?? '')).arrayBuffer());
    expect([fetched]).toEqual(sentImages());
    expect(image).not.toHaveProperty('b64_json');
    expect(image?.url).toMatch(model.startsWith('bfl/') ? /^http:/ : /^data:image\/png;base64,/);
    await expectBilled(model, idOf(response));
  });

  test.each([
    ['one image', 1, false],
    ['several images', 3, false],
    ['one image with a mask', 1, true],
    ['several images with a mask', 2, true],
  ])('edits %s', async (_what, count, masked) => {
    sentImages();
    const files = Array.from({ length: count }, (_, at) => png(`${model} ${at}`));
    const mask = png('mask');
    const images = await Promise.all(files.map((file) => upload(file)));
    const { data, response } = await client.images
      .edit({
        model,
        prompt: `A hat. ${SOON}`,
        image: images.length === 1 ? images[0]! : images,
        ...(masked && { mask: await upload(mask) }),
      })
      .withResponse();
    expect((data.data ?? []).map(({ b64_json }) => fromBase64(b64_json))).toEqual(sentImages());
    const requestId = idOf(response);
    const sent = [...files, ...(masked ? [mask] : [])].map((file) => [file.length, sha256(file)]);
    expect((await uploadsOf(requestId)).map((each) => [each.bytes, each.sha256])).toEqual(sent);
    expect(await expectBilled(model, requestId)).toBeGreaterThan(0n);
  });

  test('streams a generated and an edited image', async () => {
    const isPartial = PARTIAL_MODELS.includes(model);
    sentImages();
    const ask = { model, prompt: `A cat. ${SOON}`, stream: true, partial_images: 2 } as const;
    const image = await upload(png('a'));
    const calls = [
      { type: 'image_generation.completed', call: () => client.images.generate(ask) },
      { type: 'image_edit.completed', call: () => client.images.edit({ ...ask, image }) },
    ];
    for (const { type, call } of calls) {
      const { data, response } = await call().withResponse();
      const events = [];
      for await (const event of data) events.push(event);
      const image = {
        b64_json: expect.any(String),
        created_at: expect.any(Number),
        size: '1024x1024',
        quality: expect.any(String),
        background: 'auto',
        output_format: 'png',
      };
      const partial = { ...image, type: type.replace('completed', 'partial_image') };
      const usage = expect.objectContaining({ total_tokens: expect.any(Number) });
      expect(events).toEqual([
        ...(isPartial ? [0, 1].map((partial_image_index) => ({ ...partial, partial_image_index })) : []),
        { ...image, type, usage },
      ]);
      expect(events.map(({ b64_json }) => fromBase64(b64_json))).toEqual(sentImages());
      const charge = await expectBilled(model, idOf(response));
      expect(charge).toBeGreaterThan(0n);
      if (isPartial) expect(response.headers.has('x-gateway-cost')).toBe(false);
      else expect(nano(Number(response.headers.get('x-gateway-cost')))).toBe(charge);
    }
  });
});

describe('a stream with partial images', () => {
  const MODEL = 'openai/gpt-image-1.5';
  const streamed = (directive: object, more: { n?: number; size?: '1536x1024' } = {}) =>
    client.images
      .generate({
        ...{ model: MODEL, prompt: `A cat. [[sim ${JSON.stringify(directive)}]]` },
        ...{ stream: true as const, partial_images: 3, ...more },
      })
      .withResponse();

  test.each([
    ['cut after 1 event', { drop_after_chunks: 1 }, 1],
    ['cut after 2 events', { drop_after_chunks: 2 }, 2],
    ['cut before its last event', { drop_after_chunks: 3 }, 3],
    ['ended by an error', { stream_error: true }, 3],
  ])('that is %s ends with the error of the gateway and is not charged', async (_what, directive, count) => {
    const { data, response } = await streamed(directive);
    const types: string[] = [];
    const read = async () => {
      for await (const { type } of data) types.push(type);
    };
    await expect(read()).rejects.toMatchObject({ code: 'image_generation_failed', type: 'upstream_error' });
    expect(types).toEqual(Array.from({ length: count }, () => 'image_generation.partial_image'));
    expect(await expectBilled(MODEL, idOf(response))).toBe(0n);
  });

  test('that is cut before its first event is refused as a call without a stream', async () => {
    await expect(streamed({ drop_after_chunks: 0 })).rejects.toMatchObject({
      status: 502,
      code: 'image_generation_failed',
    });
  });

  test('is carried out and charged when its client leaves', async () => {
    const { data, response } = await streamed({ chunk_delay_ms: 200 });
    for await (const { type } of data) {
      expect(type).toBe('image_generation.partial_image');
      break;
    }
    await until(
      async () => (await system.meter({ requestId: idOf(response) })).entries[0]?.finished === true,
    );
    expect(await expectBilled(MODEL, idOf(response))).toBeGreaterThan(0n);
  });

  test('that takes too long ends with the error, and the order is charged', async () => {
    const { data, response } = await streamed({ chunk_delay_ms: IMAGE_TIMEOUT_MS / 2 });
    const read = async () => {
      for await (const _ of data);
    };
    await expect(read()).rejects.toMatchObject({ code: 'image_generation_timeout' });
    await until(
      async () => (await system.meter({ requestId: idOf(response) })).entries[0]?.finished === true,
    );
    expect(await expectBilled(MODEL, idOf(response))).toBeGreaterThan(0n);
  });

  test('of several images has none', async () => {
    const { data, response } = await streamed({}, { n: 2 });
    const types: string[] = [];
    for await (const { type } of data) types.push(type);
    expect(types).toEqual(['image_generation.completed', 'image_generation.completed']);
    expect(await expectBilled(MODEL, idOf(response))).toBeGreaterThan(0n);
  });
});

test('FLUX input images are charged per megapixel, each rounded up', async () => {
  const images = await Promise.all([png('large', 1_025, 1_024), png('small')].map((file) => upload(file)));
  const { response } = await client.images
    .edit({ model: 'bfl/flux-2-pro', prompt: `A hat. ${SOON}`, image: images })
    .withResponse();
  expect(await expectBilled('bfl/flux-2-pro', idOf(response))).toBe(30_000_000n + 3n * 15_000_000n);
});

test('the Vercel AI SDK can generate and edit images', async () => {
  const provider = createOpenAICompatible({
    name: 'gateway',
    baseURL: client.baseURL,
    apiKey: customer.apiKey,
  });
  for (const id of MODELS) {
    sentImages();
    const model = provider.imageModel(id);
    const generated = await generateImage({
      model,
      prompt: `A cat. ${SOON}`,
      size: '1024x1024',
      maxRetries: 0,
    });
    expect([Buffer.from(generated.image.uint8Array)]).toEqual(sentImages());
    const images = [png('a'), png('b')];
    const edited = await generateImage({ model, prompt: { text: `A hat. ${SOON}`, images }, maxRetries: 0 });
    expect([Buffer.from(edited.image.uint8Array)]).toEqual(sentImages());
  }
  await system.settled(customer);
});

test('several images of one size, format and quality are generated, and usage is reported', async () => {
  sentImages();
  const ask = {
    model: 'openai/gpt-image-1.5',
    prompt: 'Cats.',
    n: 3,
    size: '1536x1024',
    quality: 'low',
  } as const;
  const { data, response } = await client.images.generate({ ...ask, output_format: 'webp' }).withResponse();
  const images = (data.data ?? []).map(({ b64_json }) => fromBase64(b64_json));
  expect(images).toHaveLength(3);
  expect(images).toEqual(sentImages());
  expect(data).toMatchObject({ size: '1536x1024', quality: 'low', output_format: 'webp' });
  expect(data.usage).toMatchObject({ output_tokens: 3 * 408, input_tokens_details: { image_tokens: 0 } });
  await expectBilled(ask.model, idOf(response));
});

test('a policy refusal costs what the provider charges for it and must not be retried', async () => {
  for (const model of MODELS) {
    const prompt = '[[sim {"policy":true,"task_seconds":0.1}]]';
    const error = await client.images.generate({ model, prompt }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 502, code: 'image_generation_failed' });
    const { headers } = error as InstanceType<typeof OpenAI.APIError>;
    expect(headers?.get('x-should-retry')).toBe('false');
    const charge = await expectBilled(model, `${headers?.get('x-request-id')}`);
    expect(charge > 0n).toBe(model.startsWith('google/'));
  }
});

describe('an order that takes longer than its client may wait', () => {
  const slow = `${SOON} [[sim ${JSON.stringify({ delay_ms: IMAGE_TIMEOUT_MS + 1_000 })}]]`;

  test('continues and is billed; a repeat with the same Idempotency-Key gets its images', async () => {
    sentImages();
    const headers = { 'idempotency-key': randomUUID() };
    const ask = { model: 'sim/image', prompt: slow };
    const error = await client.images.generate(ask, { headers }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 504, code: 'image_generation_timeout' });
    expect(detailOf(error)).toMatch(/may still finish and be billed; .* with the same Idempotency-Key$/);
    const requestId = `${(error as InstanceType<typeof OpenAI.APIError>).headers?.get('x-request-id')}`;
    expect((await system.dashboard.balance(customer.token)).held).toBeGreaterThan(0);
    // The repeat waits for the running order.
    const { data } = await client.images.generate(ask, { headers });
    expect((data ?? []).map(({ b64_json }) => fromBase64(b64_json))).toEqual(sentImages());
    expect(await expectBilled(ask.model, requestId)).toBe(40_000_000n);
  });

  test('without a key is found by its request id, while it runs and after it ended', async () => {
    sentImages();
    const asked = [
      { model: 'sim/image', prompt: slow },
      { model: 'bfl/flux-2-pro', prompt: slow, response_format: 'url' as const },
    ];
    const found = await Promise.all(
      asked.map(async (ask) => {
        const error = await client.images.generate(ask).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ status: 504, code: 'image_generation_timeout' });
        const key = `${(error as InstanceType<typeof OpenAI.APIError>).headers?.get('x-request-id')}`;
        expect(detailOf(error)).toMatch(`Idempotency-Key ${key}, the X-Request-Id of this response`);
        const repeat = () => client.images.generate(ask, { headers: { 'idempotency-key': key } });
        const { data } = await repeat();
        expect((await repeat()).data).toEqual(data);
        return { model: ask.model, key, image: data?.[0] };
      }),
    );
    const [simulated, flux] = found.map(({ image }) => image);
    const made = sentImages().map((image) => sha256(image));
    const got = [fromBase64(simulated?.b64_json), fromBase64(flux?.url?.replace(/^data:.*,/, ''))];
    expect(got.map(sha256).sort()).toEqual(made.sort());
    for (const { model, key } of found) expect(await expectBilled(model, key)).toBeGreaterThan(0n);
  });

  test('continues when its client disconnects', async () => {
    const leaving = new AbortController();
    const before = (await readLedger(system, customer)).charges.size;
    const call = client.images.generate(
      { model: 'sim/image', prompt: '[[sim {"delay_ms":700}]]' },
      { signal: leaving.signal },
    );
    await until(async () => (await system.meter({ limit: 1 })).in_flight > 0);
    leaving.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await system.settled(customer, 5_000);
    expect((await readLedger(system, customer)).charges.size).toBe(before + 1);
  });
});

describe('an Idempotency-Key', () => {
  const ask = (prompt: string) => ({ model: 'sim/image', prompt });
  const chargesOf = async () => {
    await system.settled(customer);
    return (await readLedger(system, customer)).charges.size;
  };

  test('returns the same images for the same call, charged once, for concurrent repeats too', async () => {
    const before = await chargesOf();
    const headers = { 'idempotency-key': randomUUID() };
    const call = () => client.images.generate(ask('Once. [[sim {"delay_ms":200}]]'), { headers });
    const [first, ...rest] = await Promise.all(Array.from({ length: 5 }, call));
    for (const again of [...rest, await call()]) expect(again.data).toEqual(first!.data);
    expect(await chargesOf()).toBe(before + 1);
  });

  test('of an edit identifies fields and files, not the encoding of the form', async () => {
    const before = await chargesOf();
    const headers = { 'idempotency-key': randomUUID() };
    const edit = async (seed: string) =>
      client.images.edit({ ...ask('A hat.'), image: await upload(png(seed)) }, { headers });
    expect((await edit('a')).data).toEqual((await edit('a')).data);
    await expect(edit('b')).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await chargesOf()).toBe(before + 1);
  });

  test('returns the same stream for the same call', async () => {
    const before = await chargesOf();
    const headers = { 'idempotency-key': randomUUID() };
    const call = async () => {
      const answer = await client.images
        .generate({ ...ask('Streamed.'), n: 2, stream: true }, { headers })
        .asResponse();
      return { type: answer.headers.get('content-type'), text: await answer.text() };
    };
    const first = await call();
    expect(first.type).toBe('text/event-stream; charset=utf-8');
    expect(first.text.match(/^event: image_generation\.completed$/gm)).toHaveLength(2);
    expect(await call()).toEqual(first);
    expect(await chargesOf()).toBe(before + 1);
  });

  test('can be used again after a failure', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const call = (prompt: string) => client.images.generate(ask(prompt), { headers });
    await expect(call('[[sim {"status":500}]]')).rejects.toMatchObject({ code: 'image_generation_failed' });
    expect((await call('Now it works.')).data).toHaveLength(1);
  });

  test('is separate for each account', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const stranger = await system.provision();
    const theirs = new OpenAI({ apiKey: stranger.apiKey, baseURL: client.baseURL, maxRetries: 0 });
    await client.images.generate(ask('Mine.'), { headers });
    expect((await theirs.images.generate(ask('Theirs.'), { headers })).data).toHaveLength(1);
    await system.settled(stranger);
  });
});

test('an order goes to the next target if the first is unreachable, once per Idempotency-Key', async () => {
  const model = 'sim/two-targets';
  const target = (provider: string, priority: number) => ({ provider, upstream_model: 'image', priority });
  await system.dashboard.call('POST', 'admin/models', await system.operatorToken(), {
    slug: model,
    name: model,
    input_modalities: ['text'],
    output_modalities: ['image'],
    targets: [target('sim-unreachable', 0), target('sim', 1)],
    pricing: { image: { per_image: [{ price: 0.01 }] } },
    image: { sizes: ['1024x1024'], default_size: '1024x1024', formats: ['png'], max_n: 1 },
  });
  const headers = { 'idempotency-key': randomUUID() };
  const order = () => client.images.generate({ model, prompt: 'A cat.' }, { headers }).withResponse();
  let answer: Awaited<ReturnType<typeof order>> | undefined;
  await until(async () => {
    answer = await order().catch((error: { code: string }) => {
      if (error.code !== 'model_not_found') throw error;
      return undefined;
    });
    return answer !== undefined;
  });
  expect((await order()).data.data).toEqual(answer?.data.data);
  expect(await expectBilled(model, idOf(answer!.response))).toBe(10_000_000n);
});

test('a balance for five images admits five of twenty concurrent orders', async () => {
  const poor = await system.provision({ balanceUsd: 0.2 });
  const theirs = new OpenAI({ apiKey: poor.apiKey, baseURL: client.baseURL, maxRetries: 0 });
  const order = () =>
    theirs.images.generate({ model: 'sim/image', prompt: 'A cat. [[sim {"delay_ms":500}]]' });
  const results = await Promise.allSettled(Array.from({ length: 20 }, order));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(refused).toEqual(Array(15).fill('insufficient_balance'));
  expect((await system.settled(poor)).balance).toBe(0);
});

describe('image forms', () => {
  const PICTURE = png('a');
  const WHOLE: FormPart[] = [
    ['model', 'sim/image'],
    ['prompt', 'A hat.'],
  ];
  const post = (parts: readonly FormPart[]): Promise<HttpAnswer> => {
    const { contentType, body } = writeForm(parts);
    return sendRequest(
      `${system.stack.apiUrl}/v1/images/edits`,
      'POST',
      {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': contentType,
        'content-length': body.length,
      },
      body,
    );
  };
  /** Returns the temporary files that media has open. */
  const openUploads = () => {
    const folder = `/proc/${system.stack.pid('media')}/fd`;
    return readdirSync(folder).filter((fd) => {
      try {
        return readlinkSync(join(folder, fd)).startsWith(uploadDir);
      } catch {
        return false;
      }
    });
  };

  afterEach(async () => {
    await until(() => openUploads().length === 0);
    expect(readdirSync(uploadDir)).toEqual([]);
    await system.settled(customer);
  });

  test('are accepted with parts in any order', async () => {
    expect((await post([['image', PICTURE], ...WHOLE])).status).toBe(200);
  });

  test.each<[string, readonly FormPart[]]>([
    ['no image', WHOLE],
    ['an image under an unknown name', [...WHOLE, ['picture', PICTURE]]],
    ['an image that is not a file', [...WHOLE, ['image', 'a.png']]],
    ['a field that is a file', [...WHOLE, ['image', PICTURE], ['size', PICTURE]]],
    ['a mask without an image', [...WHOLE, ['mask', PICTURE]]],
    ['two masks', [...WHOLE, ['image', PICTURE], ['mask', PICTURE], ['mask', PICTURE]]],
    ['a file that is not an image', [...WHOLE, ['image', Buffer.from('GIF89a not really')]]],
    ['an empty file', [...WHOLE, ['image', Buffer.alloc(0)]]],
    ['a valid and an invalid image', [...WHOLE, ['image[]', PICTURE], ['image[]', Buffer.from('<svg/>')]]],
    ['too many images', [...WHOLE, ...Array.from({ length: 17 }, (): FormPart => ['image[]', PICTURE])]],
    [
      'too many fields',
      [...WHOLE, ['image', PICTURE], ...Array.from({ length: 99 }, (_, at): FormPart => [`f${at}`, 'x'])],
    ],
    ['a duplicate prompt', [...WHOLE, ['image', PICTURE], ['prompt', 'Another.']]],
    ['an unknown field', [...WHOLE, ['image', PICTURE], ['colour', 'red']]],
    ['a count that is not a number', [...WHOLE, ['image', PICTURE], ['n', 'two']]],
  ])('are rejected as invalid_request with %s', async (_what, parts) => {
    expect(await post(parts)).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
  });

  test('are rejected when truncated', async () => {
    const { contentType, body } = writeForm([...WHOLE, ['image', PICTURE]]);
    const torn = body.subarray(0, body.length - 40);
    const answer = await sendRequest(
      `${system.stack.apiUrl}/v1/images`,
      'POST',
      {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': contentType,
        'content-length': torn.length,
      },
      torn,
    );
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
  });

  test('leave no file behind when their client disconnects in the middle of a file', async () => {
    const { contentType, body } = writeForm([
      ...WHOLE,
      ['image', Buffer.concat([PICTURE, Buffer.alloc(8_000_000)])],
    ]);
    const headers = {
      authorization: `Bearer ${customer.apiKey}`,
      'content-type': contentType,
      'content-length': body.length,
    };
    const request = http.request(`${system.stack.apiUrl}/v1/images`, {
      method: 'POST',
      headers,
      agent: false,
    });
    request.on('error', () => {});
    request.write(body.subarray(0, 4_000_000));
    await until(() => openUploads().length > 0);
    request.destroy();
  });
});

test('after all calls nothing is held and every nano is accounted for', async () => {
  const { balance } = await system.settled(customer, 5_000);
  const { balanceNano, charges } = await readLedger(system, customer);
  expect(nano(balance)).toBe(balanceNano);
  expect(balanceNano).toBe(nano(100) - [...charges.values()].reduce((sum, charge) => sum + charge, 0n));
  expect(await system.drift()).toBe(0);
});
