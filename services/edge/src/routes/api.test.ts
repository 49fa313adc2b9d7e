import { type ErrorCode, GatewayError } from '@gateway/errors';
import { UNRECORDED } from '@gateway/link';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DETAILED_KEY, type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError, expectRawError } from '../testing/expect-error';
import { parseReply, sendRaw } from '../testing/raw-client';

let fixture: EdgeFixture;
beforeAll(async () => {
  fixture = await startEdgeFixture();
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.chat.answerOk());

const GOOD = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
const call = (path: string, init: RequestInit = {}) =>
  fetch(fixture.apiUrl + path, { method: 'POST', headers: GOOD, body: '{}', ...init });

describe('an API call', () => {
  test("reaches chat with its body and the caller's key, and the reply reaches the client", async () => {
    const headers = { ...GOOD, cookie: 'a=b', 'x-request-id': 'mine', 'anthropic-version': '2023-06-01' };
    const reply = await call('/v1/chat/completions?x=1', { headers, body: '{"model":"sim/chat"}' });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ ok: true });
    expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'));
    expect(reply.headers.get('content-length')).toBe('11');
    const { call: seen, context } = fixture.chat.lastCall!;
    expect(context.requestId).toBe(reply.headers.get('x-request-id'));
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(seen.key).toMatchObject({ keyId: 'key-1', accountId: 'account-1' });
    expect(seen.body.toString()).toBe('{"model":"sim/chat"}');
    expect(Object.keys(seen.headers).sort()).toEqual([
      'accept',
      'anthropic-version',
      'content-type',
      'user-agent',
    ]);
  });

  test('may be a GET, with the key in x-api-key', async () => {
    const reply = await fetch(`${fixture.apiUrl}/v1/models/sim%2Fchat`, { headers: { 'x-api-key': KEY } });
    expect(reply.status).toBe(200);
    expect(fixture.chat.lastCall?.call).toMatchObject({ method: 'GET', path: '/v1/models/sim%2Fchat' });
    await fetch(`${fixture.apiUrl}/v1/models?limit=2&after_id=a%2Fb`, { headers: { 'x-api-key': KEY } });
    expect(fixture.chat.lastCall?.call).toMatchObject({
      path: '/v1/models',
      query: 'limit=2&after_id=a%2Fb',
    });
  });

  test('returns only the response headers that chat may set', async () => {
    fixture.chat.handler = async () => ({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'x-ratelimit-limit-requests': '10',
        'X-Gateway-Model': 'sim/chat',
        'set-cookie': 'a=b',
        server: 'chat',
        'x-request-id': 'fake',
        'transfer-encoding': 'gzip',
      },
      body: Buffer.from('{}'),
    });
    const reply = await call('/v1/chat/completions');
    expect(reply.headers.get('x-ratelimit-limit-requests')).toBe('10');
    expect(reply.headers.get('x-gateway-model')).toBe('sim/chat');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    for (const name of ['set-cookie', 'server']) expect(reply.headers.get(name)).toBeNull();
    expect(reply.headers.get('x-request-id')).not.toBe('fake');
  });
});

test('every answer is in the access log unless the answering service records it', async () => {
  const idOf = ({ headers }: Response) => headers.get('x-request-id');
  const authorization = `Bearer ${KEY}`;
  const recorded = idOf(await call('/v1/chat/completions'));
  fixture.chat.handler = async () => ({
    status: 200,
    headers: { [UNRECORDED]: 'true' },
    body: Buffer.from('{}'),
  });
  const unrecorded = await call('/v1/responses');
  expect(unrecorded.headers.get(UNRECORDED)).toBeNull();
  const answers = [
    [unrecorded, { accountId: 'account-1', path: '/v1/responses', status: 200 }],
    [await call('/v1/nothing'), { accountId: '', path: '/v1/nothing', errorCode: 'not_found' }],
    [await call('/v1/responses', { method: 'PUT' }), { method: 'PUT', errorCode: 'not_found' }],
    [await call('/v1/responses', { headers: {} }), { status: 401, errorCode: 'invalid_api_key' }],
    [await fetch(`${fixture.apiUrl}/v1/videos/files/x`), { path: '/v1/videos/files/…', status: 200 }],
    [await fetch(`${fixture.dashboardUrl}/api/v1/nothing`), { path: '/api/v1/nothing' }],
    [
      await fetch(`${fixture.dashboardUrl}/v1/x`, { headers: { authorization } }),
      { path: '/v1/x', status: 404 },
    ],
  ] as const;
  const raw = parseReply(await sendRaw(fixture.apiPort, 'hello\r\n\r\n')).headers['x-request-id'];
  const expected = [
    ...answers.map(([answer, entry]) => ({ requestId: idOf(answer), ...entry })),
    { requestId: raw, method: '', path: '', status: 400, errorCode: 'invalid_request' },
  ];
  const { accessLog } = fixture.billing;
  await until(() => accessLog.some(({ requestId }) => requestId === raw));
  for (const entry of expected) expect(accessLog).toContainEqual(expect.objectContaining(entry));
  expect(accessLog.map(({ requestId }) => requestId)).not.toContain(recorded);
});

describe('not_found', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET'])('answers %s on a POST path', async (method) => {
    const body = method === 'GET' ? null : '{}';
    await expectFetchError(await call('/v1/chat/completions', { method, body }), 'not_found');
  });

  test('has no body for HEAD', async () => {
    const reply = await fetch(`${fixture.apiUrl}/v1/models`, { method: 'HEAD', headers: GOOD });
    expect(reply.status).toBe(404);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
    expect(await reply.text()).toBe('');
  });

  test.each([
    '/',
    '/v1',
    '/v1/nope',
    '/v1/chat/completions/',
    '/api/v1/models',
    '/api/v1/auth/login',
    '/livez',
  ])('answers %s, with and without a key', async (path) => {
    await expectFetchError(await call(path), 'not_found');
    await expectFetchError(await call(path, { headers: {} }), 'not_found');
  });

  test('answers malformed request targets', async () => {
    for (const target of ['//v1/models', '/v1/../v1/models', '/v1/models%00', '*']) {
      const text = `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n\r\n`;
      expectRawError(await sendRaw(fixture.apiPort, text), 'not_found');
    }
  });
});

describe('invalid_api_key', () => {
  const authorization = (value: string) => ({ ...GOOD, authorization: value });
  test.each([
    ['no credentials', { 'content-type': 'application/json' }],
    ['an unknown key', authorization('Bearer sk-gw-unknown')],
    ['the wrong scheme', authorization(`Basic ${KEY}`)],
    ['a lower-case scheme', authorization(`bearer ${KEY}`)],
    ['two spaces after the scheme', authorization(`Bearer  ${KEY}`)],
    ['a login token', authorization('Bearer eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln')],
    ['an invalid Authorization with a valid x-api-key', { ...authorization('Bearer x'), 'x-api-key': KEY }],
  ])('answers %s', async (_what, headers) => {
    await expectFetchError(await call('/v1/chat/completions', { headers }), 'invalid_api_key');
  });

  test('is counted as a security event if the request has a key', async () => {
    const refused = () => fixture.metric('security_events_total{event="key.refused"}');
    await call('/v1/chat/completions', { headers: {} });
    const before = await refused();
    await call('/v1/chat/completions', { headers: authorization('Bearer sk-gw-unknown') });
    await call('/v1/nope', { headers: {} });
    expect((await refused()) - before).toBe(1);
  });

  test('answers two Authorization headers', async () => {
    const line = `Authorization: Bearer ${KEY}\r\n`;
    const text = `GET /v1/models HTTP/1.1\r\nHost: x\r\n${line}${line}Connection: close\r\n\r\n`;
    expectRawError(await sendRaw(fixture.apiPort, text), 'invalid_api_key');
  });
});

test('errors are checked in the order path, key, body', async () => {
  const bad = { 'content-type': 'text/plain' };
  await expectFetchError(await call('/v1/nope', { headers: bad }), 'not_found');
  await expectFetchError(await call('/v1/chat/completions', { headers: bad }), 'invalid_api_key');
  const withKey = { ...GOOD, ...bad };
  await expectFetchError(await call('/v1/chat/completions', { headers: withKey }), 'invalid_request');
});

test('an expired key gets expired_api_key', async () => {
  fixture.billing.keys.set('sk-gw-expired', new GatewayError('expired_api_key'));
  const headers = { ...GOOD, authorization: 'Bearer sk-gw-expired' };
  await expectFetchError(await call('/v1/chat/completions', { headers }), 'expired_api_key');
});

describe('invalid_request', () => {
  test.each([
    'text/plain',
    'application/jsonx',
    'multipart/form-data',
    '',
    'application/json-patch+json',
    'application/json; charset=latin1',
    'application/json;x=y; Charset = "utf-16"',
    'application/json; charset=utf-8859',
    'application/json; charset=',
  ])('rejects the content type %j', async (type) => {
    const headers = { ...GOOD, 'content-type': type };
    await expectFetchError(await call('/v1/chat/completions', { headers }), 'invalid_request');
  });

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8" ;x=y',
    'application/json; charset = utf8',
    'Application/JSON',
    'application/json ;x=y',
  ])('accepts the content type %j', async (type) => {
    expect((await call('/v1/chat/completions', { headers: { ...GOOD, 'content-type': type } })).status).toBe(
      200,
    );
  });
});

describe('an error from chat', () => {
  test('is returned with its fields and headers', async () => {
    fixture.chat.handler = async () => {
      const cap = { limitNano: 5_000_000_000n, usedNano: 5_100_000_000n, resetsAtMs: 1_800_000_000_000 };
      throw new GatewayError('key_daily_limit', { cap });
    };
    const reply = await call('/v1/chat/completions');
    expect(reply.headers.get('x-should-retry')).toBe('false');
    const { error } = (await reply.clone().json()) as { error: object };
    expect(error).toMatchObject({ limit: 5, used: 5.1, resets_at: '2027-01-15T08:00:00.000Z' });
    await expectFetchError(reply, 'key_daily_limit');
  });

  test.each<[string, () => never, ErrorCode]>([
    [
      'that is a rate limit is returned with Retry-After',
      () => {
        throw new GatewayError('rpm_rate_limited', { retryAfterSeconds: 7 });
      },
      'rpm_rate_limited',
    ],
    [
      'that is unexpected becomes internal_error without its message',
      () => {
        throw new Error('secret details');
      },
      'internal_error',
    ],
  ])('%s', async (_what, fail, code) => {
    fixture.chat.handler = async () => fail();
    const reply = await call('/v1/chat/completions');
    expect(reply.headers.get('retry-after')).toBe(code === 'rpm_rate_limited' ? '7' : null);
    expect(await reply.clone().text()).not.toContain('secret');
    await expectFetchError(reply, code);
  });

  test('has its detail in the message for a key that asks for it', async () => {
    fixture.chat.handler = async () => {
      throw new GatewayError('invalid_request', { detail: 'stop: too long' });
    };
    const headers = { ...GOOD, authorization: `Bearer ${DETAILED_KEY}` };
    const { error } = (await (await call('/v1/chat/completions', { headers })).json()) as { error: object };
    expect(error).toEqual({
      type: 'invalid_request_error',
      code: 'invalid_request',
      message: 'Invalid request body. stop: too long',
      detail: 'stop: too long',
    });
    await expectFetchError(await call('/v1/chat/completions'), 'invalid_request');
    const ownRefusal = await call('/v1/chat/completions', {
      headers: { ...headers, 'content-type': 'text/plain' },
    });
    expect(await ownRefusal.text()).toContain('"message":"Invalid request body. Content-Type');
  });

  test('with invalid response headers becomes internal_error', async () => {
    fixture.chat.handler = async () => ({
      status: 200,
      headers: { 'content-type': 'a\r\nb' },
      body: Buffer.from('{}'),
    });
    await expectFetchError(await call('/v1/chat/completions'), 'internal_error');
  });
});

describe('refusal records', () => {
  test('are reported for calls that edge itself refuses, with a valid key only', async () => {
    fixture.chat.handler = async () => {
      throw new GatewayError('insufficient_balance');
    };
    const others = [
      await call('/v1/chat/completions'),
      await call('/v1/chat/completions', { headers: { ...GOOD, authorization: 'Bearer sk-gw-none' } }),
      await call('/v1/nothing'),
    ];
    const reply = await call('/v1/messages', { headers: { authorization: `Bearer ${KEY}` } });
    expect(reply.status).toBe(400);
    const ids = [...others, reply].map(({ headers }) => headers.get('x-request-id'));
    const reported = () => fixture.billing.refused.filter(({ requestId }) => ids.includes(requestId));
    await until(() => reported().length > 0);
    expect(reported()).toMatchObject([
      {
        requestId: ids[3],
        accountId: 'account-1',
        keyId: 'key-1',
        endpoint: '/v1/messages',
        status: 400,
        errorCode: 'invalid_request',
      },
    ]);
  });
});
