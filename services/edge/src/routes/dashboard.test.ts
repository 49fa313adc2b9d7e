import { LOGIN_TOKEN } from '@gateway/public-http';
import { serviceToken } from '@gateway/rpc';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, SECRET, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError, expectRawError } from '../testing/expect-error';
import { connectRaw, parseReply, sendRaw } from '../testing/raw-client';

let fixture: EdgeFixture;
let echo: EdgeFixture['dashboard']['handler'];
let authorization: string;
beforeAll(async () => {
  fixture = await startEdgeFixture({
    EDGE_DASHBOARD_MAX_BODY_BYTES: '10000',
  });
  echo = fixture.dashboard.handler;
  authorization = `Bearer ${await fixture.dashboard.token()}`;
});
afterAll(() => fixture.stop());
beforeEach(() => {
  fixture.dashboard.handler = echo;
});

interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  bodyBytes: number;
}

const call = (path: string, init: RequestInit = {}) =>
  fetch(fixture.dashboardUrl + path, { headers: { authorization }, ...init });
const post = (path: string, body: string, headers: Record<string, string> = { authorization }) =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

describe('a dashboard call', () => {
  test('is proxied with path, query, body and token', async () => {
    const reply = await post('/api/v1/keys?limit=1', '{"name":"x"}');
    const seen = (await reply.json()) as Echo;
    expect(seen).toMatchObject({ method: 'POST', url: '/api/v1/keys?limit=1', bodyBytes: 12 });
    expect(seen.headers.authorization).toBe(authorization);
    expect(seen.headers['x-request-id']).toBe(reply.headers.get('x-request-id'));
    expect(seen.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'));
    expect(reply.headers.get('x-powered-by')).toBeNull();
  });

  test('cannot set headers that only edge may set', async () => {
    const text = await sendRaw(
      fixture.dashboardPort,
      `GET /api/v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nX-Forwarded-For: 6.6.6.6\r\n` +
        'Forwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-Host: evil\r\nX-Request-Id: mine\r\n' +
        'X-Service-Token: mine\r\nX-Hop: 1\r\nTE: trailers\r\nConnection: close, X-Hop, Authorization\r\n\r\n',
    );
    const { headers } = JSON.parse(parseReply(text).body) as Echo;
    expect(headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(headers['x-forwarded-host']).toBe('x');
    expect(headers['x-request-id']).not.toBe('mine');
    // Proves to the dashboard that the request comes from edge.
    expect(headers['x-service-token']).toBe(serviceToken(SECRET, 'edge'));
    expect(headers.authorization).toBe(authorization);
    for (const name of ['forwarded', 'x-real-ip', 'x-hop', 'te']) expect(headers).not.toHaveProperty(name);
  });

  test('is proxied without conditional headers, so that the response has a body', async () => {
    const conditions = {
      'if-none-match': '*',
      'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT',
      'if-match': '"x"',
      'if-unmodified-since': 'Fri, 01 Jan 1999 00:00:00 GMT',
      'if-range': '"x"',
      range: 'bytes=0-1',
    };
    const reply = await call('/api/v1/billing/balance', { headers: { authorization, ...conditions } });
    const { headers } = (await reply.json()) as Echo;
    for (const name of Object.keys(conditions)) expect(headers).not.toHaveProperty(name);
  });

  test('needs no token for registration, login and pages', async () => {
    for (const path of ['/api/v1/auth/register', '/api/v1/auth/login']) {
      expect((await post(path, '{}', {})).status).toBe(200);
    }
    for (const path of ['/', '/login', '/assets/app.js', '/api/v1/auth/registration'])
      expect((await call(path, { headers: {} })).status).toBe(200);
  });

  test('may contain a model name with an encoded slash', async () => {
    const seen = (await (await call('/api/v1/models/sim%2Fchat')).json()) as Echo;
    expect(seen.url).toBe('/api/v1/models/sim%2Fchat');
  });

  test("returns the dashboard's own errors", async () => {
    fixture.dashboard.handler = (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{}}');
    };
    const reply = await call('/api/v1/keys');
    expect(reply.status).toBe(400);
    expect(await reply.text()).toBe('{"error":{}}');
  });
});

describe('invalid_api_key', () => {
  test.each<[string, () => Promise<Record<string, string>>]>([
    ['no token', async () => ({})],
    ['a malformed token', async () => ({ authorization: 'Bearer x.y.z' })],
    ['another scheme', async () => ({ authorization: 'Basic eDp5' })],
    [
      'an expired token',
      async () => ({ authorization: `Bearer ${await fixture.dashboard.token({ expires: '-1s' })}` }),
    ],
    [
      'a token for another audience',
      async () => ({ authorization: `Bearer ${await fixture.dashboard.token({ audience: 'x' })}` }),
    ],
  ])('answers %s without a call to the dashboard', async (_what, headers) => {
    fixture.dashboard.lastRequest = undefined;
    await expectFetchError(await call('/api/v1/keys', { headers: await headers() }), 'invalid_api_key');
    await expectFetchError(await call('/api/v1/auth/login', { headers: await headers() }), 'invalid_api_key');
    expect(fixture.dashboard.lastRequest).toBeUndefined();
  });
});

test('a secret-scanning report needs no token; a refused token is a security event', async () => {
  expect((await post('/api/v1/secret-scanning/github', '[]', {})).status).toBe(200);
  const refused = () => fixture.metric('security_events_total{event="token.refused"}');
  await call('/api/v1/keys', { headers: {} });
  const before = await refused();
  await call('/api/v1/keys', { headers: { authorization: 'Bearer x.y.z' } });
  expect((await refused()) - before).toBe(1);
});

test('an expired token can be renewed for a limited time, and is accepted on no other path', async () => {
  const ended = async (agoSeconds: number) => ({
    authorization: `Bearer ${await fixture.dashboard.token({ expires: `-${agoSeconds}s` })}`,
  });
  const recently = await ended(LOGIN_TOKEN.renewableSeconds - 60);
  expect((await post('/api/v1/auth/refresh', '{}', recently)).status).toBe(200);
  for (const path of ['/api/v1/auth/refresh/', '/api/v1/auth/refreshed', '/api/v1/keys']) {
    await expectFetchError(await post(path, '{}', recently), 'invalid_api_key');
  }
  await expectFetchError(await call('/api/v1/auth/refresh', { headers: recently }), 'invalid_api_key');
  const longAgo = await ended(LOGIN_TOKEN.renewableSeconds + 60);
  await expectFetchError(await post('/api/v1/auth/refresh', '{}', longAgo), 'invalid_api_key');
});

describe('not_found', () => {
  test('answers an API key', async () => {
    for (const headers of [{ authorization: `Bearer ${KEY}` }, { 'x-api-key': KEY }]) {
      await expectFetchError(await call('/api/v1/models', { headers }), 'not_found');
      await expectFetchError(await post('/api/v1/auth/login', '{}', headers), 'not_found');
    }
  });

  test.each([
    '/v1/models',
    '/v1',
    '/api//v1/models',
    '/api/v1/models/%2e%2e/keys',
    '/api/v1/..%2fkeys',
    '/a%5cb',
  ])('answers GET %s', async (path) => {
    fixture.dashboard.lastRequest = undefined;
    const text = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`;
    expectRawError(await sendRaw(fixture.dashboardPort, text), 'not_found');
    expect(fixture.dashboard.lastRequest).toBeUndefined();
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers the method %s', async (method) => {
    await expectFetchError(await call('/api/v1/keys', { method }), 'not_found');
  });
});

describe('a dashboard request body', () => {
  test('over the limit gets invalid_request, with or without Content-Length', async () => {
    await expectFetchError(await post('/api/v1/keys', 'x'.repeat(10_001)), 'invalid_request');
    const head = `POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
    expectRawError(await sendRaw(fixture.dashboardPort, head + chunk.repeat(4)), 'invalid_request');
  });

  test('of exactly the limit is accepted, in chunks too', async () => {
    const head = `POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n`;
    const chunk = `${(10_000).toString(16)}\r\n${'x'.repeat(10_000)}\r\n0\r\n\r\n`;
    const text = await sendRaw(fixture.dashboardPort, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
    expect(text).toContain('"bodyBytes":10000');
  });

  test('that is incomplete blocks no other call, because the dashboard is called once it is complete', async () => {
    const head = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const slow = Array.from({ length: 260 }, () => connectRaw(fixture.dashboardPort));
    for (const { socket } of slow) socket.write(`${head}Content-Length: 1000\r\n\r\n{`);
    await until(async () => (await fixture.bodyBytes()) === slow.length);
    const reply = await call('/api/v1/billing/balance', { signal: AbortSignal.timeout(2_000) });
    expect(reply.status).toBe(200);
    expect((await post('/api/v1/auth/login', '{}', {})).status).toBe(200);
    for (const { socket } of slow) socket.destroy();
    await until(async () => (await fixture.bodyBytes()) === 0);
  });

  test('shares the body memory quota of its sender', async () => {
    const own = await startEdgeFixture({ EDGE_DASHBOARD_BODY_MEMORY_BYTES: '2000000' });
    const token = await own.dashboard.token();
    const holder = connectRaw(own.dashboardPort);
    const login = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    holder.socket.write(`${login}Content-Length: 1000000\r\n\r\n${'x'.repeat(999_000)}`);
    await until(async () => (await own.bodyBytes()) === 999_000);
    const body = 'x'.repeat(90_000);
    const anonymous = await fetch(`${own.dashboardUrl}/api/v1/auth/login`, { method: 'POST', body });
    await expectFetchError(anonymous, 'rate_limited');
    const headers = { authorization: `Bearer ${token}` };
    const known = await fetch(`${own.dashboardUrl}/api/v1/keys`, { method: 'POST', headers, body });
    expect(known.status).toBe(200);
    holder.socket.destroy();
    await own.stop();
  });

  test('releases its memory once the dashboard has it, however long the reply takes', async () => {
    let gotBytes = 0;
    let finish!: () => void;
    fixture.dashboard.handler = (request, response) => {
      finish = () => response.end('{}');
      request.on('data', (chunk: Buffer) => {
        gotBytes += chunk.length;
      });
    };
    const reply = post('/api/v1/keys', 'x'.repeat(9_000));
    await until(() => gotBytes === 9_000);
    await until(async () => (await fixture.bodyBytes()) === 0);
    finish();
    expect((await reply).status).toBe(200);
  });

  test('announced with Expect: 100-continue is requested', async () => {
    const head = `POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n`;
    const text = await sendRaw(
      fixture.dashboardPort,
      `${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 [\s\S]*"bodyBytes":2/);
  });
});

describe('when the dashboard fails', () => {
  test('a closed connection gives internal_error, or cuts off a reply that has begun', async () => {
    fixture.dashboard.handler = (request) => request.socket.destroy();
    await expectFetchError(await call('/api/v1/keys'), 'internal_error');
    fixture.dashboard.handler = (request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => request.socket.destroy());
    };
    await expect(call('/api/v1/keys').then((reply) => reply.text())).rejects.toThrow();
  });

  test('a client disconnect is passed on to the dashboard', async () => {
    let seen = false;
    let gone = false;
    fixture.dashboard.handler = (request) => {
      seen = true;
      request.socket.on('close', () => {
        gone = true;
      });
    };
    const abort = new AbortController();
    const reply = call('/api/v1/keys', { signal: abort.signal });
    await until(() => seen);
    abort.abort();
    await expect(reply).rejects.toThrow();
    await until(() => gone);
  });

  test('an unreachable dashboard gives internal_error', async () => {
    const own = await startEdgeFixture();
    const token = await own.dashboard.token();
    await own.dashboard.stopHttp();
    const headers = { authorization: `Bearer ${token}` };
    await expectFetchError(await fetch(`${own.dashboardUrl}/api/v1/keys`, { headers }), 'internal_error');
    await own.stop();
  });
});

describe('when the dashboard is too slow', () => {
  let impatient: EdgeFixture;
  let get: () => Promise<Response>;
  beforeAll(async () => {
    impatient = await startEdgeFixture({ EDGE_DASHBOARD_TIMEOUT_MS: '300' });
    const headers = { authorization: `Bearer ${await impatient.dashboard.token()}` };
    get = () => fetch(`${impatient.dashboardUrl}/api/v1/keys`, { headers });
  });
  afterAll(() => impatient.stop());

  test('a missing response gives internal_error', async () => {
    let gone = false;
    impatient.dashboard.handler = (request) => {
      request.socket.on('close', () => {
        gone = true;
      });
    };
    await expectFetchError(await get(), 'internal_error');
    await until(() => gone);
  });

  test('a response that stalls is cut off', async () => {
    impatient.dashboard.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
    };
    await expect(get().then((reply) => reply.text())).rejects.toThrow();
  });
});
