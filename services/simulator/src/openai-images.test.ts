import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { drawImage, imageFormatOf } from './domain/files/image';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
let client: OpenAI;
beforeAll(async () => {
  simulator = await Fixture.start();
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: 'k', maxRetries: 0 });
});
afterAll(() => simulator.stop());

const MODEL = 'gpt-image-2';
const SQUARE = { width: 1024, height: 1024 };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const picture = (seed: string, format: 'png' | 'jpeg' | 'webp' = 'png') => drawImage(format, SQUARE, seed);
const upload = (bytes: Buffer, name = 'a.png') => toFile(bytes, name, { type: 'image/png' });
const bytesOf = (reply: OpenAI.ImagesResponse) =>
  (reply.data ?? []).map((image) => Buffer.from(image.b64_json ?? '', 'base64'));
const traced = (id: string) => ({ headers: { 'x-request-id': id } });

describe('generations', () => {
  test('returns the requested number, size and format, equal for equal requests', async () => {
    const ask = { model: MODEL, prompt: 'a cat', n: 3, size: '1536x864', output_format: 'webp' } as const;
    const reply = await client.images.generate(ask, traced('gen'));
    const images = bytesOf(reply);
    expect(images).toHaveLength(3);
    expect(new Set(images.map(sha256)).size).toBe(3);
    expect(images.map((image) => imageFormatOf(image))).toEqual(['webp', 'webp', 'webp']);
    expect(bytesOf(await client.images.generate(ask)).map(sha256)).toEqual(images.map(sha256));
    expect(reply).toMatchObject({ size: '1536x864', output_format: 'webp', quality: 'medium' });
    const outputTokens = 3 * Math.ceil((1_056 * 1_536 * 864) / 1_024 ** 2);
    expect(reply.usage).toEqual({
      input_tokens: 2,
      input_tokens_details: { image_tokens: 0, text_tokens: 2 },
      output_tokens: outputTokens,
      output_tokens_details: { image_tokens: outputTokens, text_tokens: 0 },
      total_tokens: outputTokens + 2,
    });
    expect(await simulator.entryOf('gen')).toMatchObject({
      kind: 'call',
      provider: 'openai',
      model: MODEL,
      prompt_tokens: 2,
      completion_tokens: outputTokens,
      media: { images: 3, size: '1536x864', quality: 'medium', output_image_tokens: outputTokens },
    });
  });

  test("the meter's totals count images", async () => {
    const before = await simulator.meter();
    await client.images.generate({ model: 'sim-image', prompt: 'x', n: 2, quality: 'low' });
    const after = await simulator.meter();
    expect(after.images - before.images).toBe(2);
    expect(after.output_image_tokens - before.output_image_tokens).toBe(2 * 272);
  });

  test.each([
    [{ response_format: 'b64_json' }, 'unknown_parameter', 'response_format'],
    [{ style: 'vivid' }, 'unknown_parameter', 'style'],
    [{ size: '1000x1000' }, 'invalid_value', 'size'],
    [{ size: '4096x1024' }, 'invalid_value', 'size'],
    [{ size: '512x2048' }, 'invalid_value', 'size'],
    [{ size: '3840x3840' }, 'invalid_value', 'size'],
    [{ quality: 'hd' }, 'invalid_value', 'quality'],
    [{ quality: 'max' }, 'invalid_value', 'quality'],
    [{ output_format: 'gif' }, 'invalid_value', 'output_format'],
    [{ moderation: 'none' }, 'invalid_value', 'moderation'],
    [{ n: 11 }, 'integer_out_of_range', 'n'],
    [{ n: '2' }, 'invalid_type', 'n'],
    [{ prompt: '' }, 'empty_string', 'prompt'],
    [{ prompt: 'x'.repeat(32_001) }, 'string_above_max_length', 'prompt'],
    [{ prompt: undefined }, 'missing_required_parameter', 'prompt'],
    [{ background: 'transparent', output_format: 'jpeg' }, null, 'background'],
    [{ model: 'gpt-image-1.5', size: '1536x864' }, 'invalid_value', 'size'],
  ])('%j is refused', async (more, code, param) => {
    const response = await simulator.post('/openai/v1/images/generations', {
      model: MODEL,
      prompt: 'x',
      ...more,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, param } });
  });

  test('accepts finer qualities for newer models only', async () => {
    const reply = await client.images.generate({
      model: 'gpt-image-2.5-flare',
      prompt: 'x',
      quality: 'max',
    });
    expect(reply.usage?.output_tokens).toBe(16_640);
  });

  test('streams partial images, each of 100 tokens', async () => {
    const ask = { model: MODEL, prompt: 'x', stream: true, partial_images: 2 } as const;
    const events = [];
    for await (const event of await client.images.generate(ask, traced('streamed'))) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(new Set(events.map(({ b64_json }) => b64_json)).size).toBe(3);
    expect(events.at(-1)).toMatchObject({ usage: { output_tokens: 1_256 } });
    expect(await simulator.entryOf('streamed')).toMatchObject({ completion_tokens: 1_256, finished: true });
  });

  test('a refusal by the content policy is free', async () => {
    const refused = client.images.generate({ model: MODEL, prompt: sim({ policy: true }) }, traced('policy'));
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'moderation_blocked' });
    expect(await simulator.entryOf('policy')).toMatchObject({ status: 400, completion_tokens: 0 });
  });

  test('directives set failures, the number of images, usage and a cut of the reply', async () => {
    const ask = (directive: object, id = 'd') =>
      client.images.generate({ model: MODEL, prompt: sim(directive), n: 2 }, traced(id));
    await expect(ask({ status: 503 })).rejects.toMatchObject({ status: 503 });
    await expect(ask({ reset: true })).rejects.toThrow('Connection error');
    expect(bytesOf(await ask({ images: 0 }))).toHaveLength(0);
    const { usage } = await ask({ usage: { prompt_tokens: 7, completion_tokens: 11 } });
    expect(usage).toMatchObject({ input_tokens: 7, output_tokens: 11, total_tokens: 18 });
    await expect(ask({ drop_after_chunks: 1 }, 'cut')).rejects.toThrow();
    const cut = await simulator.entryOf('cut');
    expect(cut).toMatchObject({ finished: false, completion_tokens: 0 });
    expect(cut).not.toHaveProperty('media');
  });
});

describe('edits', () => {
  test('edits one image, which arrives complete', async () => {
    const ask = async (seed: string, id: string) =>
      client.images.edit({ model: MODEL, prompt: 'hat', image: await upload(picture(seed)) }, traced(id));
    const [a, again, b] = [await ask('a', 'edit-a'), await ask('a', 'edit-a2'), await ask('b', 'edit-b')];
    expect(bytesOf(again)).toEqual(bytesOf(a));
    expect(bytesOf(b)).not.toEqual(bytesOf(a));
    expect(a.usage?.input_tokens_details).toEqual({ image_tokens: 323, text_tokens: 1 });
    expect(await simulator.entryOf('edit-b')).toMatchObject({
      prompt_tokens: 324,
      media: {
        images: 1,
        input_image_tokens: 323,
        uploads: [{ part: 'image', bytes: picture('b').length, sha256: sha256(picture('b')) }],
      },
    });
  });

  test('edits several images of every format with a mask', async () => {
    const images = [picture('1'), picture('2', 'jpeg'), picture('3', 'webp')];
    const files = await Promise.all(images.map((bytes) => upload(bytes)));
    const mask = picture('mask');
    await client.images.edit(
      { model: MODEL, prompt: 'x', n: 2, image: files, mask: await upload(mask) },
      traced('edit-many'),
    );
    expect(await simulator.entryOf('edit-many')).toMatchObject({
      media: {
        images: 2,
        input_image_tokens: 3 * 323,
        uploads: [
          ...images.map((bytes) => ({ part: 'image[]', bytes: bytes.length, sha256: sha256(bytes) })),
          { part: 'mask', bytes: mask.length, sha256: sha256(mask) },
        ],
      },
    });
  });

  test('a large file arrives complete', async () => {
    const large = Buffer.concat([picture('l'), Buffer.alloc(5_000_000, 'pixel')]);
    await client.images.edit({ model: MODEL, prompt: 'x', image: await upload(large) }, traced('edit-large'));
    expect(await simulator.entryOf('edit-large')).toMatchObject({
      media: { uploads: [{ bytes: large.length, sha256: sha256(large) }] },
    });
  });

  test('refuses invalid forms', async () => {
    const edit = async (parts: [string, Buffer | string][]) => {
      const form = new FormData();
      form.set('model', MODEL);
      form.set('prompt', 'x');
      for (const [name, value] of parts) {
        if (typeof value === 'string') form.append(name, value);
        else form.append(name, new Blob([new Uint8Array(value)]), 'f.png');
      }
      const headers = { authorization: 'Bearer k' };
      const url = `${simulator.url}/openai/v1/images/edits`;
      const response = await fetch(url, { method: 'POST', headers, body: form });
      const { error } = (await response.json()) as { error: { code: string; param: string } };
      return [response.status, error.param, error.code];
    };
    const image = picture('a');
    const small = drawImage('png', { width: 16, height: 16 }, 'm');
    expect(await edit([])).toEqual([400, 'image', 'missing_required_parameter']);
    expect(await edit([['picture', image]])).toEqual([400, 'picture', 'unknown_parameter']);
    expect(await edit([['image', Buffer.from('GIF89a')]])).toEqual([
      400,
      'image',
      'unsupported_file_mimetype',
    ]);
    const many = Array.from({ length: 17 }, (): [string, Buffer] => ['image[]', image]);
    expect(await edit(many)).toEqual([400, 'image', 'array_above_max_length']);
    expect(await edit([...many, ...many])).toEqual([400, null, null]);
    const masked = (mask: Buffer) =>
      edit([
        ['image', image],
        ['mask', mask],
      ]);
    expect(await masked(picture('m', 'jpeg'))).toEqual([400, 'mask', 'invalid_image_format']);
    expect(await masked(small)).toEqual([400, 'mask', 'invalid_image_size']);
    expect(
      await edit([
        ['image', image],
        ['n', 'two'],
      ]),
    ).toEqual([400, 'n', 'invalid_type']);
    expect(
      await edit([
        ['image', image],
        ['response_format', 'url'],
      ]),
    ).toEqual([400, 'response_format', 'unknown_parameter']);
    expect(
      await edit([
        ['image', image],
        ['user', 'u'.repeat(300_000)],
      ]),
    ).toEqual([400, null, null]);
  });

  test('refuses a body that is not a form or is truncated', async () => {
    const post = (body: string, type: string) =>
      simulator.post('/openai/v1/images/edits', body, { 'content-type': type });
    expect((await post('{}', 'application/json')).status).toBe(400);
    const torn = '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nx';
    expect((await post(torn, 'multipart/form-data; boundary=b')).status).toBe(400);
  });
});
