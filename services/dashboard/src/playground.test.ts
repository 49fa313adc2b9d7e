import { randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { ClientDisconnected } from '@gateway/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Dashboard, startDashboard, startWorld, until, type World } from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
let owner: Awaited<ReturnType<Dashboard['register']>>;
let keyId: string;
let usual: World['carrier']['answering']['handler'];
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  owner = await dashboard.register();
  keyId = (await dashboard.post('keys', { name: 'a key', allowed_models: ['sim/chat'] }, owner.token)).body
    .id;
  usual = world.carrier.answering.handler;
});
beforeEach(() => {
  world.carrier.seen.length = 0;
  world.carrier.answering.handler = usual;
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const play = (body: object, headers: Record<string, string> = {}) =>
  dashboard.post('playground/chat', { key_id: keyId, model: 'sim/chat', ...body }, owner.token, headers);
const stream = (signal: AbortSignal | null = null) =>
  dashboard.fetch('/api/v1/playground/chat', {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key_id: keyId, model: 'sim/chat', stream: true }),
    signal,
  });

describe('a playground call', () => {
  test('is one with the key that it names, under its own request id', async () => {
    const requestId = randomUUIDv7();
    const reply = await play({ messages: [{ role: 'user', content: 'hi' }] }, { 'x-request-id': requestId });
    expect([reply.status, reply.body]).toEqual([200, { ok: true }]);
    expect(reply.headers.get('x-ratelimit-limit-requests')).toBe('5');
    expect(reply.headers.get('set-cookie')).toBeNull();
    const [{ context, call } = { context: undefined, call: undefined }] = world.carrier.seen;
    expect(context!.requestId).toBe(requestId);
    expect(call).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(call!.key).toMatchObject({ keyId, accountId: owner.account.id, allowedModels: ['sim/chat'] });
    expect(JSON.parse(call!.body.toString())).toEqual({
      model: 'sim/chat',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect((await dashboard.get('audit', owner.token)).body.data).toHaveLength(1);
  });

  test('is refused while a call with its request id is in flight', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.carrier.answering.handler = async (context, call) => {
      await held;
      return usual(context, call);
    };
    const headers = { 'x-request-id': randomUUIDv7() };
    const first = play({}, headers);
    await until(() => world.carrier.seen.length === 1);
    for (const { status, body } of [await play({}, headers), await play({}, headers)]) {
      expect([status, body.error.code, body.error.detail]).toEqual([
        400,
        'invalid_request',
        'a call with this request id is in flight',
      ]);
    }
    release();
    expect((await first).status).toBe(200);
    expect(world.carrier.seen).toHaveLength(1);
  });

  test('makes images too', async () => {
    const body = { key_id: keyId, model: 'sim/image', prompt: 'a cat' };
    const headers = { 'idempotency-key': 'cat 7' };
    expect((await dashboard.post('playground/images', body, owner.token, headers)).status).toBe(200);
    const [{ call } = { call: undefined }] = world.carrier.seen;
    expect(call).toMatchObject({ path: '/v1/images', headers: { 'idempotency-key': 'cat 7' } });
  });

  describe('with a form', () => {
    const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000, 'pixels ')]);
    const formOf = (...files: Buffer[]) => {
      const form = new FormData();
      form.append('model', 'sim/image');
      form.append('prompt', 'a hat');
      for (const file of files) form.append('image[]', new Blob([new Uint8Array(file)]), 'a.png');
      return form;
    };
    const edit = (form: FormData, query = `key_id=${keyId}`, headers: Record<string, string> = {}) =>
      dashboard.postForm(`playground/images/edits?${query}`, form, owner.token, headers);

    test('hands it on as it comes, whole, with the key beside it', async () => {
      let received = Buffer.alloc(0);
      world.carrier.answering.handler = async (...args) => {
        for await (const bytes of args[1].bodyStream ?? []) received = Buffer.concat([received, bytes]);
        return usual(...args);
      };
      const reply = await edit(formOf(PNG, PNG), undefined, { 'idempotency-key': 'hat 7' });
      expect([reply.status, reply.body]).toEqual([200, { ok: true }]);
      const [{ call } = { call: undefined }] = world.carrier.seen;
      expect(call).toMatchObject({ method: 'POST', path: '/v1/images/edits', key: { keyId } });
      expect(call!.body).toHaveLength(0);
      const type = call!.headers['content-type'] ?? '';
      expect(call!.headers).toEqual({ 'content-type': type, 'idempotency-key': 'hat 7' });
      const form = await new Response(new Uint8Array(received), {
        headers: { 'content-type': type },
      }).formData();
      const images = await Promise.all(form.getAll('image[]').map((file) => (file as File).bytes()));
      expect(images.map((bytes) => PNG.equals(bytes))).toEqual([true, true]);
      expect([...form.keys()]).toEqual(['model', 'prompt', 'image[]', 'image[]']);
    });

    test('takes no more of it than is read', async () => {
      let goOn!: () => void;
      const waited = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let takenBytes = 0;
      world.carrier.answering.handler = async (...args) => {
        await waited;
        for await (const bytes of args[1].bodyStream ?? []) takenBytes += bytes.length;
        return usual(...args);
      };
      const reply = edit(formOf(Buffer.concat([PNG, Buffer.alloc(8_000_000)])));
      await until(() => world.carrier.seen.length === 1);
      goOn();
      expect((await reply).status).toBe(200);
      expect(takenBytes).toBeGreaterThan(8_000_000);
    });

    test('is refused at once, and its connection lives on', async () => {
      world.carrier.answering.handler = async (_context, { bodyStream }) => {
        for await (const bytes of bodyStream ?? []) {
          throw new GatewayError('invalid_request', { detail: `image: ${bytes.length > 0}` });
        }
        throw new Error('no body came');
      };
      const large = formOf(Buffer.alloc(5_000_000));
      for (let at = 0; at < 3; at++) {
        const { status, headers, body } = await edit(large);
        expect([status, body.error.detail]).toEqual([400, 'image: true']);
        expect(headers.get('connection')).toBe('keep-alive');
      }
      const other = await dashboard.register();
      const theirs = (await dashboard.post('keys', { name: 'b' }, other.token)).body.id;
      const seen = world.carrier.seen.length;
      for (const [query, code] of [
        ['', 'missing_parameter'],
        ['key_id=', 'missing_parameter'],
        ['key_id=a&key_id=b', 'invalid_request'],
        ['key_id=key_none', 'not_found'],
        [`key_id=${theirs}`, 'not_found'],
      ] as const) {
        const { body, headers } = await edit(large, query);
        expect([query, body.error.code, headers.get('connection')]).toEqual([query, code, 'keep-alive']);
      }
      expect(world.carrier.seen).toHaveLength(seen);
    });

    test('is nothing else', async () => {
      const path = `playground/images/edits?key_id=${keyId}`;
      const { status, body } = await dashboard.post(path, { prompt: 'a hat' }, owner.token);
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
      expect((await edit(formOf(PNG), undefined, { 'content-encoding': 'gzip' })).status).toBe(400);
      expect(world.carrier.seen).toEqual([]);
    });

    test('ends with its caller', async () => {
      let end: unknown;
      world.carrier.answering.handler = async (_context, { bodyStream }) => {
        try {
          for await (const _bytes of bodyStream ?? []);
        } catch (error) {
          end = error;
        }
        throw new GatewayError('internal_error');
      };
      const abort = new AbortController();
      const endless = new ReadableStream({ start: (controller) => controller.enqueue(PNG) });
      const reply = dashboard
        .fetch(`/api/v1/playground/images/edits?key_id=${keyId}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${owner.token}`,
            'content-type': 'multipart/form-data; boundary=a',
          },
          body: endless,
          duplex: 'half',
          signal: abort.signal,
        } as RequestInit)
        .catch(() => undefined);
      await until(() => world.carrier.seen.length === 1);
      abort.abort();
      await reply;
      await until(() => end !== undefined);
      expect(end).toBeInstanceOf(ClientDisconnected);
    });
  });

  test('orders videos and looks at them, at the provider that its path names', async () => {
    const send = (path: string, body: object) =>
      dashboard.post(`playground/videos/${path}`, { key_id: keyId, ...body }, owner.token);
    await send('sim/create', { model: 'sim/video', prompt: 'a cat' });
    await send('sim/status', { task_id: 'task_1' });
    await send('a%2Fb%20c/result', { task_id: 'task_1' });
    expect(world.carrier.seen.map(({ call }) => [call.path, JSON.parse(call.body.toString())])).toEqual([
      ['/v1/videos/sim/create', { model: 'sim/video', prompt: 'a cat' }],
      ['/v1/videos/sim/status', { task_id: 'task_1' }],
      ['/v1/videos/a%2Fb%20c/result', { task_id: 'task_1' }],
    ]);
    for (const { call } of world.carrier.seen) expect(call.key).toMatchObject({ keyId });
  });

  test('fetches a video by its link, with nobody’s key', async () => {
    expect((await dashboard.get('playground/videos/files/task_1.0.5.abc', owner.token)).status).toBe(200);
    const [{ call } = { call: undefined }] = world.carrier.seen;
    expect(call).toMatchObject({ method: 'GET', path: '/v1/videos/files/task_1.0.5.abc' });
    expect(call!.key).toMatchObject({ keyId: '', accountId: '' });
  });

  test('streams as it comes, and ends in the error that broke it', async () => {
    let goOn!: () => void;
    const waited = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* events() {
      yield Buffer.from('data: 1\n\n');
      await waited;
      yield Buffer.from('data: 2\n\n');
      throw new GatewayError('upstream_failed');
    }
    world.carrier.answering.handler = async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: events(),
    });
    const response = await stream();
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('data: 1\n\n');
    goOn();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(rest).toContain('data: 2\n\ndata: {"error":');
    expect(rest).toContain('upstream_failed');
  });

  test('is called off when its reader leaves', async () => {
    let signal: AbortSignal | undefined;
    world.carrier.answering.handler = async (context) => {
      signal = context.signal;
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      throw new GatewayError('internal_error');
    };
    const abort = new AbortController();
    const response = stream(abort.signal).catch(() => undefined);
    await until(() => signal !== undefined);
    abort.abort();
    await until(() => signal!.aborted);
    await response;
  });

  test('is refused as any call is, with its fields and headers', async () => {
    world.carrier.answering.handler = async () => {
      throw new GatewayError('rpm_rate_limited', { retryAfterSeconds: 7 });
    };
    const { status, headers, body } = await play({});
    expect([status, headers.get('retry-after'), body.error.code]).toEqual([429, '7', 'rpm_rate_limited']);
  });

  test('is refused beside eight others of its account, until one of them has ended', async () => {
    const waiting: (() => void)[] = [];
    world.carrier.answering.handler = async (...args) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return usual(...args);
    };
    const eight = Array.from({ length: 8 }, () => play({}));
    await until(() => waiting.length === 8);
    const refused = await play({});
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).toBe('1');
    world.carrier.answering.handler = usual;
    const other = await dashboard.register();
    const key_id = (await dashboard.post('keys', { name: 'd' }, other.token)).body.id;
    expect((await dashboard.post('playground/chat', { key_id }, other.token)).status).toBe(200);
    waiting.pop()!();
    await Promise.race(eight);
    expect((await play({ key_id: 'key_none' })).status).toBe(404);
    expect((await play({})).status).toBe(200);
    for (const end of waiting) end();
    expect((await Promise.all(eight)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  test('needs a key of the account that is enabled', async () => {
    const other = await dashboard.register();
    const theirs = (await dashboard.post('keys', { name: 'b' }, other.token)).body.id;
    const off = (await dashboard.post('keys', { name: 'c' }, owner.token)).body.id;
    await dashboard.post(`keys/${off}/disable`, undefined, owner.token);
    const answers = await Promise.all([
      play({ key_id: theirs }),
      play({ key_id: 'key_none' }),
      play({ key_id: off }),
      play({ key_id: undefined }),
      play({ key_id: 7 }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
      [400, 'invalid_request'],
      [400, 'missing_parameter'],
      [400, 'invalid_request'],
    ]);
    expect(world.carrier.seen).toEqual([]);
  });
});
