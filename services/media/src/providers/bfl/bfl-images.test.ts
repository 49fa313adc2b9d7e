import { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { MediaRefused } from '../../domain/media-refused';
import { uploadOf } from '../../domain/upload.fixture';
import { anOrder, aProviderCall } from '../../images/rules/image-order.fixture';
import type { ImageOrder } from '../../images/rules/image-provider';
import { MASK_NOTE } from '../../images/rules/mask-note';
import { type FakeReply, FakeUpstream } from '../../testing/fake-upstream';
import { isResultAddress } from '../link-address';
import { bflImages } from './bfl-images';
import { isOwnAddress } from './own-address';

const ACCOUNT = { id: 'bfl', baseUrl: 'https://api.bfl.ai', apiKey: 'k' };
const POLL = 'https://api.eu1.bfl.ai/v1/get_result?id=t';
const SAMPLE = 'https://delivery-eu1.bfl.ai/results/a.jpeg?sig=1';
const TASK: FakeReply = { json: { id: 't', polling_url: POLL, cost: null } };
const view = (status: string, more: object = {}): FakeReply => ({
  json: { id: 't', status, result: null, ...more },
});
const READY = view('Ready', { result: { sample: SAMPLE } });
const FILE: FakeReply = { headers: { 'content-type': 'image/jpeg' }, bytes: Buffer.from('jpeg') };
const DOWN = new UpstreamError({ kind: 'unreachable', cause: new Error('refused') });

function provider(...replies: FakeReply[]) {
  const upstream = new FakeUpstream(...replies);
  return { upstream, bfl: bflImages(ACCOUNT, upstream, { firstWaitMs: 1, longestWaitMs: 5 }) };
}
async function generate(order: Partial<ImageOrder>, ...replies: FakeReply[]) {
  const { upstream, bfl } = provider(...replies);
  const result = await bfl.generate(anOrder({ upstreamModel: 'flux-2-pro', ...order }), aProviderCall());
  return { result, sent: upstream.sent };
}
const failure = (replies: FakeReply[], order: Partial<ImageOrder> = {}) =>
  generate(order, ...replies).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a task', () => {
  test('is ordered, looked at until it is ready, and its file fetched without the key', async () => {
    const { result, sent } = await generate(
      { size: { width: 1_024, height: 768 }, format: 'jpeg' },
      TASK,
      view('Pending'),
      view('Pending'),
      READY,
      FILE,
    );
    expect(result).toEqual({
      images: [{ mime: 'image/jpeg', base64: Buffer.from('jpeg').toString('base64') }],
    });
    expect(sent.map(({ method, url }) => [method, url])).toEqual([
      ['POST', 'https://api.bfl.ai/v1/flux-2-pro'],
      ['GET', POLL],
      ['GET', POLL],
      ['GET', POLL],
      ['GET', SAMPLE],
    ]);
    expect(JSON.parse(sent[0]!.body)).toEqual({
      prompt: 'a cat',
      width: 1_024,
      height: 768,
      output_format: 'jpeg',
    });
    expect(sent.map(({ headers }) => headers['x-key'])).toEqual(['k', 'k', 'k', 'k', undefined]);
  });

  test('whose link will do is not fetched', async () => {
    const { result, sent } = await generate({ acceptsLinks: true, format: 'png' }, TASK, READY);
    expect(result).toEqual({ images: [{ mime: 'image/png', url: SAMPLE }] });
    expect(sent).toHaveLength(2);
  });

  test('with images and a mask', async () => {
    const images = [uploadOf('image', 'a'), uploadOf('image', 'b')];
    const { sent } = await generate({ images, mask: uploadOf('mask', 'm'), acceptsLinks: true }, TASK, READY);
    expect(JSON.parse(sent[0]!.body)).toEqual({
      prompt: `a cat\n\n${MASK_NOTE}`,
      input_image: Buffer.from('a').toString('base64'),
      input_image_2: Buffer.from('b').toString('base64'),
      input_image_3: Buffer.from('m').toString('base64'),
    });
  });

  test.each([
    [3, { inputMegapixels: 3 }],
    [0.5, { inputMegapixels: 0.5 }],
    [-1, {}],
    ['3', {}],
    [null, {}],
  ])('that was counted as %j megapixels sent', async (counted, told) => {
    const accepted: FakeReply = { json: { id: 't', polling_url: POLL, input_mp: counted } };
    const { result } = await generate({ acceptsLinks: true, format: 'png' }, accepted, READY);
    expect(result).toEqual({ images: [{ mime: 'image/png', url: SAMPLE }], ...told });
  });

  test('of a model that draws by ratio', async () => {
    const order = {
      upstreamModel: 'flux-kontext-pro',
      size: { width: 1_344, height: 768 },
      acceptsLinks: true,
    };
    const { sent } = await generate(order, TASK, READY);
    expect(JSON.parse(sent[0]!.body)).toMatchObject({ aspect_ratio: '7:4' });
  });

  test('is looked at again when a look fails, and without an address where they usually are', async () => {
    const overloaded: FakeReply = { status: 503, bytes: Buffer.from('<html>') };
    const { result, sent } = await generate(
      { acceptsLinks: true },
      { json: { id: 't' } },
      DOWN,
      overloaded,
      view('Brand New'),
      READY,
    );
    expect(result.images).toHaveLength(1);
    expect(sent[1]?.url).toBe('https://api.bfl.ai/v1/get_result?id=t');
  });

  test('is given up when nothing is to be seen of it, and its order did arrive', async () => {
    const denied: FakeReply = { status: 403, json: { detail: 'No.' } };
    expect(await failure([TASK, denied])).toMatchObject({ failure: { kind: 'broken' } });
  });

  test.each<[string, FakeReply]>([
    ['out of reach', DOWN],
    ['down', { status: 502, bytes: Buffer.from('<html>') }],
    ['overloaded', { status: 429, json: { detail: 'Too many.' } }],
  ])('is not given up while its provider is %s', async (_what, answer) => {
    const away = Array<FakeReply>(50).fill(answer);
    const { result } = await generate({ acceptsLinks: true }, TASK, ...away, READY);
    expect(result.images).toHaveLength(1);
  });

  test('is looked at no sooner than its provider asks', async () => {
    const startMs = performance.now();
    const busy: FakeReply = { status: 429, headers: { 'retry-after': '1' }, json: {} };
    await generate({ acceptsLinks: true }, TASK, busy, READY);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(990);
  });

  test.each([['Error'], ['Failed'], ['Task not found']])('that ends with %s has no image', async (status) => {
    const { result } = await generate({}, TASK, {
      ...view(status),
      status: status === 'Task not found' ? 404 : 200,
    } as FakeReply);
    expect(result).toEqual({ images: [] });
  });

  test.each([['Request Moderated'], ['Content Moderated']])(
    'that ends with %s is refused',
    async (status) => {
      expect(await failure([TASK, view(status)])).toBeInstanceOf(MediaRefused);
    },
  );

  test('is let go of when the call is given up', async () => {
    const giveUp = new AbortController();
    const { bfl } = provider(TASK, view('Pending'));
    const call = bfl.generate(anOrder(), aProviderCall(giveUp.signal));
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  test.each<[string, FakeReply[]]>([
    ['without its result', [TASK, view('Ready', { result: {} })]],
    ['whose file can’t be had', [TASK, READY, { status: 403, bytes: Buffer.from('expired') }]],
    ['whose file is out of reach', [TASK, READY, DOWN]],
    [
      'whose file is no image',
      [TASK, READY, { headers: { 'content-type': 'text/html' }, bytes: Buffer.from('x') }],
    ],
    ['whose file is in our own network', [TASK, view('Ready', { result: { sample: 'http://127.0.0.1/a' } })]],
    ['to be looked at elsewhere', [{ json: { id: 't', polling_url: 'https://bfl.ai.example.com/x' } }]],
  ])('%s is broken', async (_what, replies) => {
    expect(await failure(replies)).toMatchObject({ failure: { kind: 'broken' } });
  });

  test('without an id is none', async () => {
    expect(await failure([{ json: { polling_url: POLL } }])).toMatchObject({
      failure: { kind: 'status', status: 502 },
    });
  });
});

test.each<[FakeReply, object]>([
  [{ status: 402, json: { detail: 'Insufficient credits.' } }, { status: 402 }],
  [
    { status: 429, headers: { 'retry-after': '3' }, json: { detail: 'Slow down.' } },
    { status: 429, retryAfterSeconds: 3 },
  ],
  [
    { status: 422, json: { detail: [{ loc: ['body', 'prompt'], msg: 'too long' }] } },
    { status: 422, message: 'prompt: too long' },
  ],
  [{ status: 500, json: {} }, { status: 500 }],
])('an order that is refused: %j', async (reply, expected) => {
  expect(((await failure([reply])) as UpstreamError).failure).toMatchObject({ kind: 'status', ...expected });
});

test('an order for what the catalog should not offer', async () => {
  const detail = [{ loc: ['body', 'width'], msg: 'too small' }];
  expect(await failure([{ status: 422, json: { detail } }])).toBeInstanceOf(MediaRefused);
  expect(await failure([TASK], { n: 2 })).toBeInstanceOf(MediaRefused);
  const images = Array(8).fill(uploadOf('image', 'a'));
  expect(await failure([TASK], { images, mask: uploadOf('mask', 'm') })).toBeInstanceOf(MediaRefused);
});

const BASE = new URL('https://api.bfl.ai');
test.each([
  ['https://api.bfl.ai/v1/x', true],
  ['https://api.us1.bfl.ai/v1/x', true],
  ['http://api.bfl.ai/v1/x', false],
  ['https://bfl.ai.evil.com/', false],
  ['https://evilbfl.ai/', false],
  ['https://api.bfl.ai:8443/', false],
  ['https://key@api.us1.bfl.ai/', false],
])('with our key to %s: %s', (link, own) => {
  expect(isOwnAddress(new URL(link), BASE)).toBe(own);
});

test.each([
  ['https://gateway.co.uk', 'https://evil.co.uk/'],
  ['https://bfl.example.com', 'https://api.bfl.ai/'],
  ['https://api.bfl.ai', 'https://bfl.ai.co/'],
])('with our key for %s not to %s', (base, link) => {
  expect(isOwnAddress(new URL(link), new URL(base))).toBe(false);
});

test.each([
  ['https://delivery-us1.bfl.ai/a', true],
  ['https://store.blob.core.windows.net/a?sig=1', true],
  ['http://delivery-us1.bfl.ai/a', false],
  ['https://10.0.0.1/a', false],
  ['https://[::1]/a', false],
  ['https://localhost/a', false],
  ['https://metadata.google.internal/a', false],
  ['https://a.example.com:9000/a', false],
])('for a result to %s: %s', (link, allowed) => {
  expect(isResultAddress(new URL(link), BASE)).toBe(allowed);
});

test('a simulator serves everything itself', () => {
  const base = new URL('http://127.0.0.1:7199/bfl');
  expect(isOwnAddress(new URL('http://127.0.0.1:7199/bfl/v1/get_result?id=1'), base)).toBe(true);
  expect(isOwnAddress(new URL('http://127.0.0.1:7200/'), base)).toBe(false);
  expect(isResultAddress(new URL('http://127.0.0.1:7199/files/a'), base)).toBe(true);
  expect(isResultAddress(new URL('http://127.0.0.1:7200/files/a'), base)).toBe(false);
});
