import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { failed, fakeGateway, ok } from './client.fixture.ts';
import { isGatewayError } from './gateway-error.ts';

const CHAT = { model: 'a/x', messages: [{ role: 'user', content: 'hi' }] };
const IMAGE = { model: 'a/image', prompt: 'a cat' };

const fetchError = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('in the socket'), { code }) });
const untilAborted = ({ signal }: RequestInit) =>
  new Promise<Response>((_resolve, reject) =>
    signal!.addEventListener('abort', () => reject(signal!.reason), { once: true }),
  );
const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('a connection that fails', () => {
  test.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'])(
    'before the request was sent (%s) is tried again',
    async (code) => {
      const { client, waits } = fakeGateway([fetchError(code), ok({ id: 'x' })]);
      expect(await client.chat.create(CHAT)).toEqual({ id: 'x' });
      expect(waits).toEqual([1_000]);
    },
  );

  test('after the request was sent is not tried again for a chat, which could be charged twice', async () => {
    const { client, sent } = fakeGateway([fetchError('UND_ERR_SOCKET')]);
    const error = await thrownBy(client.chat.create(CHAT));
    expect(error).toMatchObject({ code: 'connection_failed', status: undefined });
    expect(sent).toHaveLength(1);
  });

  test('is tried again for images, videos, polls and reads, which are executed once', async () => {
    const { client, sent } = fakeGateway([fetchError('ECONNRESET')]);
    const task = { task_id: 'task_1', model: 'a/video' };
    for (const call of [
      () => client.images.generate(IMAGE),
      () => client.videos.create(IMAGE),
      () => client.videos.status(task),
      () => client.videos.result(task),
      () => client.get('/v1/models'),
    ]) {
      sent.length = 0;
      expect(await thrownBy(call())).toMatchObject({ code: 'connection_failed', attempts: 4 });
    }
    sent.length = 0;
    await thrownBy(client.images.generate(IMAGE, { idempotencyKey: null }));
    expect(sent).toHaveLength(1);
  });

  test('in the middle of a reply is a failed connection', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
    const { client } = fakeGateway([() => new Response(body)]);
    expect(await thrownBy(client.chat.create(CHAT))).toMatchObject({ code: 'connection_failed' });
  });

  test('an answer that is not the gateway’s is unexpected_response', async () => {
    const page = new Response('<h1>Bad gateway</h1>', { status: 502 });
    const { client, sent } = fakeGateway([page]);
    expect(await thrownBy(client.chat.create(CHAT))).toMatchObject({
      code: 'unexpected_response',
      status: 502,
    });
    expect(sent).toHaveLength(1);
    const text = fakeGateway([new Response('hello')]);
    expect(await thrownBy(text.client.chat.create(CHAT))).toMatchObject({ status: 200 });
  });
});

describe('the end of a call', () => {
  test('by its deadline while no answer comes', async () => {
    const { client } = fakeGateway([untilAborted]);
    const error = await thrownBy(client.images.generate(IMAGE, { deadlineMs: 20 }));
    expect(error).toMatchObject({ code: 'deadline_exceeded', idempotencyKey: expect.any(String) });
  });

  test('by its signal, before and during a request and during a wait', async () => {
    const reason = new Error('the user left');
    const { client, sent } = fakeGateway([untilAborted]);
    const aborted = AbortSignal.abort(reason);
    expect(await thrownBy(client.chat.create(CHAT, { signal: aborted }))).toBe(reason);
    expect(sent).toHaveLength(0);
    const during = new AbortController();
    const call = thrownBy(client.chat.create(CHAT, { signal: during.signal }));
    during.abort(reason);
    expect(await call).toBe(reason);
    const waiting = new AbortController();
    const failing = fakeGateway([failed('upstream_failed')]);
    const onRetry = () => waiting.abort(reason);
    expect(await thrownBy(failing.client.chat.create(CHAT, { signal: waiting.signal, onRetry }))).toBe(
      reason,
    );
    expect(failing.sent).toHaveLength(1);
  });

  test('the clock of the system ends its wait with the signal', async () => {
    const { systemClock } = await import('./clock.ts');
    const controller = new AbortController();
    const wait = thrownBy(systemClock.sleep(60_000, controller.signal));
    controller.abort('now');
    expect(await wait).toBe('now');
    await systemClock.sleep(1);
    expect(await thrownBy(systemClock.sleep(60_000, AbortSignal.abort('before')))).toBe('before');
  });

  test('refuses a deadline that timers cannot keep', async () => {
    const { client } = fakeGateway([ok({})]);
    for (const deadlineMs of [0, -1, Number.NaN, 2 ** 31])
      await expect(client.chat.create(CHAT, { deadlineMs })).rejects.toThrow(RangeError);
  });
});

describe('what is sent and returned', () => {
  test('the key goes to the gateway only, and is in no error and no printed client', async () => {
    const { client, sent } = fakeGateway([failed('invalid_api_key', 401)]);
    const error = await thrownBy(
      client.chat.create(CHAT, { headers: { Authorization: 'mine', 'X-A': 'b' } }),
    );
    expect(sent[0]).toMatchObject({ url: 'http://gateway.test/v1/chat/completions' });
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer sk-gw-secret');
    expect(sent[0]!.headers.get('x-a')).toBe('b');
    expect(inspect([error, client], { depth: 9, showHidden: true })).not.toContain('sk-gw-secret');
    await thrownBy(client.chat.create(CHAT, { apiKey: 'sk-gw-other' }));
    expect(sent[1]!.headers.get('authorization')).toBe('Bearer sk-gw-other');
  });

  test('a path cannot lead to another host', async () => {
    const { client, sent } = fakeGateway([ok({})]);
    for (const path of ['@other.test/', 'v1/models', ''])
      await expect(client.get(path)).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  test('a message that contains the detail does not repeat it', async () => {
    const { client } = fakeGateway([
      failed('invalid_request', 400, {}, { message: 'No. Use n.', detail: 'Use n.' }),
    ]);
    expect(await thrownBy(client.chat.create(CHAT))).toMatchObject({
      message: 'No. Use n.',
      detail: 'Use n.',
    });
  });

  test('an error has all members of the envelope and headers', async () => {
    const more = { param: 'messages', detail: 'It is empty.' };
    const { client } = fakeGateway([failed('missing_parameter', 400, {}, more)]);
    const error = await thrownBy(client.chat.create(CHAT));
    expect(isGatewayError(error, 'missing_parameter')).toBe(true);
    expect(isGatewayError(error, 'not_found')).toBe(false);
    expect(isGatewayError(new Error('x'))).toBe(false);
    expect(error).toMatchObject({
      message: 'Message of missing_parameter. It is empty.',
      ...{ status: 400, type: 'some_error', requestId: 'req-failed', attempts: 1, ...more },
    });
  });

  test('the head of a response has its request id and cost', async () => {
    const { client } = fakeGateway([ok({ id: 'x' }, { 'x-gateway-cost': '0.0015' })]);
    let head: unknown;
    await client.post('/v1/embeddings', {}, { onResponse: (given) => (head = given) });
    expect(head).toMatchObject({ requestId: 'req-ok', cost: 0.0015 });
  });

  test('files go in a form, several of them under one name', async () => {
    const { client, sent } = fakeGateway([ok({})]);
    const png = new File(['png'], 'a.png', { type: 'image/png' });
    await client.images.edit({ ...IMAGE, image: png, n: 1, mask: undefined });
    await client.images.edit({ ...IMAGE, image: [png, png] });
    await client.videos.create({ model: 'a/video', prompt: 'x', reference_images: [png], duration: 5 });
    await client.videos.create({ model: 'a/video', prompt: 'x', reference_images: ['https://x.test/a.png'] });
    await client.files.upload({ file: png, purpose: 'batch' });
    const shown = sent.map(({ body }) => (body instanceof FormData ? [...body.keys()] : body));
    expect(shown).toEqual([
      ['model', 'prompt', 'image', 'n'],
      ['model', 'prompt', 'image[]', 'image[]'],
      ['model', 'prompt', 'reference_images', 'duration'],
      { model: 'a/video', prompt: 'x', reference_images: ['https://x.test/a.png'] },
      ['file', 'purpose'],
    ]);
    expect(sent.map(({ headers }) => headers.get('content-type'))).toEqual([
      ...[null, null, null, 'application/json', null],
    ]);
    expect((sent[0]!.body as FormData).get('image')).toMatchObject({ name: 'a.png', type: 'image/png' });
    const nested = { ...IMAGE, image: png, options: {} };
    expect(() => client.images.edit(nested)).toThrow(/options must be/);
  });
});
