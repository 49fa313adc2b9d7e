import { randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/proto';
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
  fetch(`${dashboard.origin}/api/v1/playground/chat`, {
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

  test('makes images too', async () => {
    const body = { key_id: keyId, model: 'sim/image', prompt: 'a cat' };
    const headers = { 'idempotency-key': 'cat 7' };
    expect((await dashboard.post('playground/images', body, owner.token, headers)).status).toBe(200);
    const [{ call } = { call: undefined }] = world.carrier.seen;
    expect(call).toMatchObject({ path: '/v1/images', headers: { 'idempotency-key': 'cat 7' } });
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
