import { GatewayError } from '@gateway/errors';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError } from '../testing/expect-error';
import { connectRaw } from '../testing/raw-client';

const MIB = 1024 * 1024;
const FORM_TYPE = 'multipart/form-data; boundary=abc';

let fixture: EdgeFixture;
let authorization: string;
let allowAll: EdgeFixture['dashboard']['authorize'];
beforeAll(async () => {
  fixture = await startEdgeFixture({
    EDGE_MAX_UPLOAD_BYTES: String(20 * MIB),
    EDGE_DASHBOARD_MAX_BODY_BYTES: '10000',
  });
  authorization = `Bearer ${await fixture.dashboard.token()}`;
  allowAll = fixture.dashboard.authorize;
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  const { chat, media, dashboard } = fixture;
  chat.answerOk();
  media.answerOk();
  chat.lastCall = undefined;
  media.lastCall = undefined;
  dashboard.lastRequest = undefined;
  dashboard.authorize = allowAll;
  dashboard.authorizations.length = 0;
});

const send = (method: string, path: string, init: RequestInit = {}) =>
  fetch(`${fixture.dashboardUrl}/api/v1/playground/${path}`, {
    method,
    ...init,
    headers: { authorization, ...(init.headers as Record<string, string>) },
  });
const postJson = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send('POST', path, {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const postForm = (path: string, body: Buffer) =>
  send('POST', path, { headers: { 'content-type': FORM_TYPE }, body: new Uint8Array(body) });
const expectNoCall = () => {
  expect([fixture.chat.lastCall, fixture.media.lastCall]).toEqual([undefined, undefined]);
  expect(fixture.dashboard.lastRequest).toBeUndefined();
};

describe('a playground call', () => {
  test('is relayed like the API call, with the key of its key_id, which is removed', async () => {
    const reply = await postJson(
      'chat',
      { key_id: 'key_7', model: 'sim/chat', messages: [] },
      { 'idempotency-key': 'once' },
    );
    expect([reply.status, await reply.text()]).toEqual([200, '{"ok":true}']);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const { context, call } = fixture.chat.lastCall!;
    expect(context.requestId).toBe(reply.headers.get('x-request-id'));
    expect(call).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(call.key).toMatchObject({ keyId: 'key_7', accountId: 'account-1' });
    expect(JSON.parse(call.body.toString())).toEqual({ model: 'sim/chat', messages: [] });
    expect(call.headers['idempotency-key']).toBe('once');
    expect(call.headers).not.toHaveProperty('authorization');
    expect(fixture.dashboard.authorizations).toEqual([
      { loginToken: authorization.slice('Bearer '.length), keyId: 'key_7' },
    ]);
    await until(async () => (await fixture.bodyBytes()) === 0);
  });

  test('reaches image and video endpoints under their API paths', async () => {
    for (const path of ['images', 'videos/sim/create', 'videos/a%2Fb/status', 'videos/sim/result']) {
      expect((await postJson(path, { key_id: 'key_7' })).status).toBe(200);
      expect(fixture.media.lastCall!.call).toMatchObject({ method: 'POST', path: `/v1/${path}` });
    }
  });

  test('to download a video needs a login but no key', async () => {
    expect((await send('GET', 'videos/files/task_1.0.5.abc')).status).toBe(200);
    const { call } = fixture.media.lastCall!;
    expect(call).toMatchObject({ method: 'GET', path: '/v1/videos/files/task_1.0.5.abc' });
    expect(call.key).toMatchObject({ keyId: '', accountId: '' });
    expect(fixture.dashboard.authorizations).toMatchObject([{ keyId: '' }]);
  });

  test('returns the error of the service that answers', async () => {
    fixture.chat.handler = async () => {
      throw new GatewayError('rpm_rate_limited', { retryAfterSeconds: 7 });
    };
    const reply = await postJson('chat', { key_id: 'key_7' });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await reply.json()).toMatchObject({ error: { code: 'rpm_rate_limited' } });
  });

  test('is canceled when its client disconnects', async () => {
    let signal: AbortSignal | undefined;
    fixture.chat.handler = async (context) => {
      signal = context.signal;
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      throw new GatewayError('internal_error');
    };
    const abort = new AbortController();
    const reply = send('POST', 'chat', {
      headers: { 'content-type': 'application/json' },
      body: '{"key_id":"key_7"}',
      signal: abort.signal,
    }).catch(() => undefined);
    await until(() => signal !== undefined);
    abort.abort();
    await until(() => signal!.aborted);
    await reply;
  });

  test('is refused with the error of the dashboard, and no service sees it', async () => {
    for (const code of ['invalid_api_key', 'not_found', 'invalid_request'] as const) {
      fixture.dashboard.authorize = () => {
        throw new GatewayError(code);
      };
      await expectFetchError(await postJson('chat', { key_id: 'key_7' }), code);
      await expectFetchError(await postForm('images/edits?key_id=key_7', Buffer.from('x')), code);
    }
    expectNoCall();
  });

  test('is refused without a login token, and with an API key', async () => {
    await expectFetchError(await postJson('chat', {}, { authorization: 'Bearer x.y.z' }), 'invalid_api_key');
    await expectFetchError(await postJson('chat', {}, { authorization: `Bearer ${KEY}` }), 'not_found');
    expect(fixture.dashboard.authorizations).toEqual([]);
    expectNoCall();
  });

  test('is refused without a key_id or with an invalid one', async () => {
    for (const [keyId, code] of [
      [undefined, 'missing_parameter'],
      [null, 'missing_parameter'],
      ['', 'missing_parameter'],
      [7, 'invalid_request'],
      ['k'.repeat(129), 'invalid_request'],
    ] as const) {
      await expectFetchError(await postJson('chat', { key_id: keyId }), code);
    }
    const form = Buffer.from('x');
    for (const [query, code] of [
      ['', 'missing_parameter'],
      ['?key_id=', 'missing_parameter'],
      ['?key_id=a&key_id=b', 'invalid_request'],
    ] as const) {
      await expectFetchError(await postForm(`images/edits${query}`, form), code);
    }
    expect(fixture.dashboard.authorizations).toEqual([]);
    expectNoCall();
  });

  test('is refused when its body is not a JSON object, or too large', async () => {
    const post = (body: string, type = 'application/json') =>
      send('POST', 'chat', { headers: { 'content-type': type }, body });
    for (const body of ['', 'x', '[]', '{"key_id":"a","key_id":"b"}', `{"x":"${'x'.repeat(10_000)}"}`]) {
      await expectFetchError(await post(body), 'invalid_request');
    }
    await expectFetchError(await post('{"key_id":"a"}', 'text/plain'), 'invalid_request');
    expectNoCall();
    await until(async () => (await fixture.bodyBytes()) === 0);
  });

  test('does not reach API endpoints that the playground lacks', async () => {
    for (const path of ['messages', 'chat/completions', 'images/generations', 'none', '']) {
      await expectFetchError(await postJson(path, { key_id: 'key_7' }), 'not_found');
    }
    await expectFetchError(await send('GET', 'models'), 'not_found');
    await expectFetchError(await send('GET', 'chat'), 'not_found');
    expectNoCall();
  });
});

describe('a form for the playground', () => {
  const received: Buffer[] = [];
  beforeEach(() => {
    received.length = 0;
    fixture.media.handler = async (_context, { bodyStream }) => {
      for await (const bytes of bodyStream ?? []) received.push(Buffer.from(bytes));
      return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') };
    };
  });

  test('is streamed whole to media, with the key of its query', async () => {
    const form = Buffer.alloc(2 * MIB + 5, 'all of the form ');
    const reply = await postForm('images/edits?key_id=key_7', form);
    expect([reply.status, await reply.text()]).toEqual([200, '{}']);
    expect(Buffer.concat(received).equals(form)).toBe(true);
    const { call } = fixture.media.lastCall!;
    expect(call).toMatchObject({ method: 'POST', path: '/v1/images/edits', key: { keyId: 'key_7' } });
    expect(call.headers['content-type']).toBe(FORM_TYPE);
    await until(async () => (await fixture.bodyBytes()) === 0);
  });

  test('is read to its end after an early error, because browsers read no response before', async () => {
    fixture.media.handler = async (_context, { bodyStream }) => {
      for await (const bytes of bodyStream ?? []) {
        throw new GatewayError('invalid_request', { detail: `image: ${bytes.length > 0}` });
      }
      throw new Error('the body was empty');
    };
    const connection = connectRaw(fixture.dashboardPort);
    const { socket } = connection;
    socket.write(
      `POST /api/v1/playground/images/edits?key_id=key_7 HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
        `Content-Type: ${FORM_TYPE}\r\nContent-Length: 50000\r\n\r\n`,
    );
    socket.write(Buffer.alloc(20_000));
    await until(() => connection.text().includes('image: true'));
    // Longer than edge reads on after an early reply to an API call.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(socket.destroyed).toBe(false);
    socket.write(Buffer.alloc(30_000));
    await connection.closed;
    expect(connection.text()).toContain('HTTP/1.1 400 ');
    await until(async () => (await fixture.bodyBytes()) === 0);
  });

  test('is refused when its coding is unknown or it is too large', async () => {
    const path = 'images/edits?key_id=key_7';
    const headers = { 'content-type': FORM_TYPE, 'content-encoding': 'compress' };
    await expectFetchError(await send('POST', path, { headers, body: 'x' }), 'invalid_request');
    await expectFetchError(await postForm(path, Buffer.alloc(20 * MIB + 1)), 'invalid_request');
    expectNoCall();
  });
});
