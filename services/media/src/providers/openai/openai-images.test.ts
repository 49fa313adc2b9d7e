import { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { MediaRefused } from '../../domain/media-refused';
import { uploadOf } from '../../domain/upload.fixture';
import { anOrder, aProviderCall } from '../../images/rules/image-order.fixture';
import type { ImageOrder } from '../../images/rules/image-provider';
import { type FakeReply, FakeUpstream } from '../../testing/fake-upstream';
import { recordedReply } from '../recorded-replies.fixture';
import { openAiImages } from './openai-images';

const ACCOUNT = { id: 'openai', baseUrl: 'https://api.example.com/v1', apiKey: 'k' };
const REPLY = recordedReply('openai/images-base64') as { usage: object };

async function generate(order: Partial<ImageOrder>, ...replies: FakeReply[]) {
  const upstream = new FakeUpstream(...replies);
  const result = await openAiImages(ACCOUNT, upstream).generate(anOrder(order), aProviderCall());
  return { result, sent: upstream.sent[0]! };
}
const failure = (reply: FakeReply, order: Partial<ImageOrder> = {}) =>
  generate(order, reply).then(
    () => undefined,
    (error: unknown) => error,
  );

const IMAGES = [uploadOf('image', 'first'), uploadOf('image', 'second', 'jpeg')];

describe('what is sent', () => {
  test('a generation, with all it says', async () => {
    const { sent } = await generate(
      {
        upstreamModel: 'gpt-image-2',
        n: 2,
        size: { width: 1_024, height: 1_024 },
        quality: 'medium',
        format: 'webp',
        background: 'transparent',
        compression: 40,
        hints: { moderation: 'low', user: 'u' },
      },
      { json: REPLY },
    );
    expect(sent).toMatchObject({
      method: 'POST',
      url: 'https://api.example.com/v1/images/generations',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json', 'x-request-id': 'r' },
    });
    expect(JSON.parse(sent.body)).toEqual({
      model: 'gpt-image-2',
      prompt: 'a cat',
      n: 2,
      size: '1024x1024',
      quality: 'medium',
      output_format: 'webp',
      background: 'transparent',
      output_compression: 40,
      moderation: 'low',
      user: 'u',
    });
  });

  test('an edit of one image, its prompt as it is', async () => {
    const prompt = 'a "hat"\r\n--and more';
    const { sent } = await generate(
      { images: [IMAGES[0]!], prompt, hints: { moderation: 'low', user: 'u' } },
      { json: REPLY },
    );
    expect(sent.url).toBe('https://api.example.com/v1/images/edits');
    const form = await new Response(sent.body, {
      headers: { 'content-type': sent.headers['content-type']! },
    }).formData();
    expect([...form.keys()]).toEqual(['model', 'prompt', 'n', 'user', 'image']);
    expect(form.get('prompt')).toBe(prompt);
    expect(await (form.get('image') as File).text()).toBe('first');
    expect((form.get('image') as File).type).toBe('image/png');
  });

  test('an edit of several under a mask', async () => {
    const { sent } = await generate({ images: IMAGES, mask: uploadOf('mask', 'm') }, { json: REPLY });
    const form = await new Response(sent.body, {
      headers: { 'content-type': sent.headers['content-type']! },
    }).formData();
    const texts = (name: string) => Promise.all(form.getAll(name).map((file) => (file as File).text()));
    expect([await texts('image[]'), await texts('mask'), form.has('image')]).toEqual([
      ['first', 'second'],
      ['m'],
      false,
    ]);
  });
});

describe('partial images', () => {
  const event = { type: 'image_generation.completed', b64_json: 'AAAA', usage: REPLY.usage };
  const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };

  test('are ordered as a stream, of a generation and an edit', async () => {
    const { sent, result } = await generate({ partialImages: 2 }, { headers, bytes });
    expect(JSON.parse(sent.body)).toMatchObject({ stream: true, partial_images: 2 });
    expect(result.images).toEqual([{ mime: 'image/png', base64: 'AAAA' }]);
    const edit = await generate({ partialImages: 1, images: [IMAGES[0]!] }, { headers, bytes });
    const form = await new Response(edit.sent.body, {
      headers: { 'content-type': edit.sent.headers['content-type']! },
    }).formData();
    expect([form.get('stream'), form.get('partial_images')]).toEqual(['true', '1']);
  });

  test('are none from a server that replies without a stream', async () => {
    const reply = { headers: { 'content-type': 'application/json' }, json: REPLY };
    const { result } = await generate({ partialImages: 2 }, reply);
    expect(result).toEqual((await generate({}, reply)).result);
  });

  test('are refused as other orders', async () => {
    const error = { code: 'moderation_blocked', message: 'Unsafe.' };
    expect(await failure({ status: 400, json: { error } }, { partialImages: 2 })).toBeInstanceOf(
      MediaRefused,
    );
  });
});

describe('what comes back', () => {
  test('links, of others that speak this format', async () => {
    const data = [{ url: 'https://files.example.com/a', revised_prompt: 'a grey cat' }];
    const { result } = await generate({ format: 'jpeg' }, { json: { data } });
    expect(result).toEqual({
      images: [{ mime: 'image/jpeg', url: 'https://files.example.com/a' }],
      revisedPrompt: 'a grey cat',
    });
  });

  test('nothing, at the price of the prompt', async () => {
    const usage = { ...REPLY.usage, output_tokens: 0 };
    const { result } = await generate({}, { json: { ...REPLY, data: [], usage } });
    expect(result).toEqual({ images: [], tokens: { textInput: 330, imageInput: 0, output: 0 } });
  });

  test.each([
    [{ input_tokens: -1, output_tokens: 5 }],
    [{ input_tokens: 1.5, output_tokens: 5 }],
    [{ input_tokens: '7', output_tokens: 5 }],
    [{ input_tokens: 7, output_tokens: 1e300 }],
    [{}],
    [null],
  ])('figures beyond belief are none: %j', async (usage) => {
    expect((await generate({}, { json: { ...REPLY, usage } })).result).not.toHaveProperty('tokens');
  });

  test('input that is not told apart is text where no image was sent, else images', async () => {
    const usage = { input_tokens: 50, output_tokens: 5 };
    const tokensOf = async (images: ImageOrder['images']) =>
      (await generate({ images }, { json: { ...REPLY, usage } })).result.tokens;
    expect(await tokensOf([])).toMatchObject({ textInput: 50, imageInput: 0 });
    expect(await tokensOf(IMAGES)).toMatchObject({ textInput: 0, imageInput: 50 });
  });

  test.each([
    [
      { image_tokens: 2_000, text_tokens: 112 },
      { output: 2_000, textOutput: 112 },
    ],
    [
      { image_tokens: 0, text_tokens: 9_999 },
      { output: 0, textOutput: 2_112 },
    ],
    [{ text_tokens: -1 }, { output: 2_112 }],
    [undefined, { output: 2_112 }],
  ])('words beside the images are told apart, as their price is: %j', async (details, told) => {
    const usage = { ...REPLY.usage, output_tokens: 2_112, output_tokens_details: details };
    const { tokens } = (await generate({}, { json: { ...REPLY, usage } })).result;
    expect(tokens).toEqual({ textInput: 330, imageInput: 0, ...told });
  });

  test.each<[string, FakeReply]>([
    ['no JSON', { bytes: Buffer.from('<html>') }],
    ['half a reply', { bytes: Buffer.from(JSON.stringify(REPLY).slice(0, 60)) }],
    ['an object that is no reply', { json: { ok: true } }],
    ['an array', { json: [] }],
    ['null', { json: null }],
    ['an image without data', { json: { data: [{}] } }],
    ['an error with 200', { json: { error: { message: 'overloaded' } } }],
  ])('%s is broken', async (_what, reply) => {
    expect(await failure(reply)).toMatchObject({ failure: { kind: 'broken' } });
  });
});

describe('refusals', () => {
  const refusal = (status: number, error: object, headers = {}) =>
    failure({ status, headers, json: { error } });

  test.each([
    [
      'moderation',
      400,
      { code: 'moderation_blocked', message: 'Rejected by the safety system.' },
      /safety system/,
    ],
    ['policy', 400, { code: 'content_policy_violation', message: 'No.' }, /No\./],
    [
      'a size that the catalog should not offer',
      400,
      { code: 'invalid_value', param: 'size', message: 'Bad.' },
      /Bad\./,
    ],
  ])('by %s are of the order', async (_why, status, error, detail) => {
    const refused = await refusal(status, error);
    expect(refused).toBeInstanceOf(MediaRefused);
    expect((refused as MediaRefused).detail).toMatch(detail);
  });

  test.each([
    [429, { code: 'rate_limit_exceeded' }, { 'retry-after': '6.2' }, { status: 429, retryAfterSeconds: 7 }],
    [
      429,
      { code: 'rate_limit_exceeded' },
      { 'retry-after-ms': '6200' },
      { status: 429, retryAfterSeconds: 7 },
    ],
    [
      429,
      { code: 'rate_limit_exceeded' },
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '12s' },
      { status: 429, retryAfterSeconds: 12 },
    ],
    [429, { code: 'insufficient_quota' }, {}, { status: 402 }],
    [400, { code: 'invalid_api_key' }, {}, { status: 401 }],
    [400, { message: 'Unknown parameter.' }, {}, { status: 400, message: 'Unknown parameter.' }],
    [400, { message: 'Send an Authorization header.' }, {}, { status: 400 }],
    [500, { message: 'Oops.' }, {}, { status: 500 }],
    [503, {}, {}, { status: 503 }],
  ])('%i %j', async (status, error, headers, expected) => {
    const refused = await refusal(status, error, headers);
    expect(refused).toBeInstanceOf(UpstreamError);
    expect((refused as UpstreamError).failure).toMatchObject({ kind: 'status', ...expected });
    if (!('message' in expected))
      expect((refused as UpstreamError).failure).not.toHaveProperty(
        'message',
        expect.stringContaining('Authorization'),
      );
  });

  test('one that is no JSON', async () => {
    const refused = await failure({ status: 502, bytes: Buffer.from('<html>') });
    expect(refused).toMatchObject({ failure: { kind: 'status', status: 502 } });
  });

  test('a connection’s own failure stays what it is', async () => {
    const unreachable = new UpstreamError({ kind: 'unreachable', cause: new Error('refused') });
    expect(await failure(unreachable)).toBe(unreachable);
  });
});
