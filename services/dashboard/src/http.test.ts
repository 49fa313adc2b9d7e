import http from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { SERVICE_TOKEN_HEADER, serviceToken } from '@gateway/rpc';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  type Dashboard,
  FROM_EDGE,
  SECRET,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
let token: string;

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  token = (await dashboard.register()).token;
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const authorized = () => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

describe('requests that do not come from edge', () => {
  const TOKEN_OF_EDGE = FROM_EDGE[SERVICE_TOKEN_HEADER] ?? '';

  test.each([
    ['no token', {}],
    ['an empty token', { [SERVICE_TOKEN_HEADER]: '' }],
    ['the token of another service', { [SERVICE_TOKEN_HEADER]: serviceToken(SECRET, 'chat') }],
    ['the token of another secret', { [SERVICE_TOKEN_HEADER]: serviceToken(`${SECRET}!`, 'edge') }],
    ['the token sent twice', { [SERVICE_TOKEN_HEADER]: `${TOKEN_OF_EDGE}, ${TOKEN_OF_EDGE}` }],
  ])('answers not_found to a request with %s, whatever its path and login', async (_what, hop) => {
    const body = JSON.stringify({ email: 'x@example.com', password: 'password-1', name: 'x' });
    for (const [path, init] of [
      ['/', {}],
      ['/openapi.json', {}],
      ['/docs', {}],
      ['/api/v1/models', {}],
      ['/api/v1/auth/register', { method: 'POST', body }],
    ] as const) {
      const headers = { ...authorized(), ...hop, 'x-forwarded-for': '203.0.113.1' };
      const answer = await fetch(dashboard.origin + path, { ...init, headers });
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        404,
        { error: { type: 'not_found_error', code: 'not_found', message: 'Resource not found.' } },
      ]);
    }
  });

  test('each secret of the list is accepted during a rotation', async () => {
    const rotating = await startDashboard(world, { SERVICE_SECRET: `${SECRET},the next secret of all` });
    for (const secret of [SECRET, 'the next secret of all']) {
      const headers = { [SERVICE_TOKEN_HEADER]: serviceToken(secret, 'edge') };
      expect((await fetch(`${rotating.origin}/openapi.json`, { headers })).status).toBe(200);
    }
    await rotating.stop();
  });
});

describe('the order of checks', () => {
  test.each([
    '/v1',
    '/v1/models',
    '/v2/chat/completions',
    '/KEYS',
    '/assets/nothing.js',
    '/.sources',
    '/../package.json',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1/KEYS',
    '/api/v1/keys/',
    '/api/v1/keys/a/b',
  ])('answers not_found to an unknown path, with and without a token: %s', async (path) => {
    for (const headers of [{}, authorized()]) {
      const answer = await dashboard.send(path, { headers });
      expect(answer.status).toBe(404);
      expect(answer.body.error).toEqual({
        type: 'not_found_error',
        code: 'not_found',
        message: 'Resource not found.',
      });
    }
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers not_found to method %s', async (method) => {
    const answer = await dashboard.send('/api/v1/keys', { method, headers: authorized() });
    expect(answer.status).toBe(404);
    expect(answer.body.error.code).toBe('not_found');
  });

  test('answers HEAD with 404 and no body', async () => {
    const answer = await dashboard.send('/api/v1/keys', { method: 'HEAD', headers: authorized() });
    expect(answer.status).toBe(404);
    expect(answer.body).toBe('');
  });

  test('answers not_found to GET of a POST endpoint and vice versa', async () => {
    expect((await dashboard.get('auth/login', token)).status).toBe(404);
    expect((await dashboard.post('billing/balance', {}, token)).status).toBe(404);
  });

  test('answers not_found to an API key, even at the login', async () => {
    expect((await dashboard.get('keys', 'sk-gw-abc')).status).toBe(404);
    expect((await dashboard.post('auth/login', { email: 'x', password: 'x' }, 'sk-gw-abc')).status).toBe(404);
  });

  test.each([
    undefined,
    'Bearer',
    'Bearer ',
    'bearer TOKEN',
    'Bearer  TOKEN',
    'Basic TOKEN',
    'TOKEN',
    'Bearer TOKEN x',
  ])('refuses Authorization %p before reading the body', async (template) => {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (template !== undefined) headers.authorization = template.replace('TOKEN', token);
    const answer = await dashboard.send('/api/v1/keys', { method: 'POST', headers, body: '{broken' });
    expect(answer.status).toBe(401);
    expect(answer.body.error).toMatchObject({
      type: 'authentication_error',
      code: 'invalid_api_key',
      message: 'Invalid API key provided.',
    });
  });
});

describe('request bodies', () => {
  const post = (body: NonNullable<RequestInit['body']> | undefined, headers: Record<string, string> = {}) =>
    dashboard.send('/api/v1/keys', {
      method: 'POST',
      headers: { ...authorized(), ...headers },
      ...(body !== undefined && { body }),
    });

  test.each<[string, NonNullable<RequestInit['body']> | undefined, Record<string, string>]>([
    ['no body', undefined, {}],
    ['broken JSON', '{"name":', {}],
    ['two values', '{}{}', {}],
    ['a byte order mark', '\ufeff{"name":"x"}', {}],
    ['another content type', '{"name":"x"}', { 'content-type': 'text/plain' }],
    ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}],
    ['another charset', '{"name":"x"}', { 'content-type': 'application/json; charset=latin1' }],
    ['a compressed body', gzipSync('{"name":"x"}'), { 'content-encoding': 'gzip' }],
    ['more than 1 MiB', JSON.stringify({ name: 'x'.repeat(1024 * 1024) }), {}],
    ['deeply nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, {}],
    ['a duplicate key', '{"name":"x","name":"y"}', {}],
    ['a duplicate key with an escape', '{"name":"x","n\\u0061me":"x"}', {}],
    ['a __proto__ key', '{"name":"x","__proto__":{"rpm_limit":1}}', {}],
  ])('refuses %s as invalid_request, without a stack trace', async (_what, body, headers) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_request' });
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.js|\.ts|at /);
    expect((await dashboard.get('keys', token)).status).toBe(200);
  });

  test('accepts an explicit UTF-8 charset', async () => {
    for (const type of ['Application/JSON; charset=UTF-8', 'application/json ;x=y;charset = "utf8"']) {
      const answer = await post('{"name":"x"}', { 'content-type': type });
      expect(answer.status).toBe(200);
    }
  });

  test('closes the connection of a body that never ends', async () => {
    const { port } = new URL(dashboard.origin);
    const request = http.request({
      port,
      path: '/api/v1/keys',
      method: 'POST',
      headers: { ...authorized(), ...FROM_EDGE },
    });
    request.on('error', () => {});
    const status = await new Promise<number | undefined>((resolve) => {
      request.on('response', (response) => resolve(response.resume().statusCode));
      const pump = () => {
        while (request.write(Buffer.alloc(64 * 1024, 0x20)));
        request.once('drain', pump);
      };
      pump();
    });
    request.destroy();
    expect(status).toBe(400);
  });
});

test("answers not_found to a path that can't be decoded", async () => {
  const { port } = new URL(dashboard.origin);
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        `GET /api/v1/keys/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Service-Token: ${FROM_EDGE['x-service-token']}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
    });
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).toContain('"not_found"');
});

test('ignores conditional headers and always sends a body', async () => {
  for (const condition of ['if-none-match', 'if-modified-since', 'if-match', 'range']) {
    // Without an explicit cache-control, fetch would add no-cache to conditional requests.
    const cache = { 'cache-control': 'max-age=0' };
    const headers = { ...authorized(), ...cache, [condition]: condition === 'range' ? 'bytes=0-1' : '*' };
    const answer = await dashboard.send('/api/v1/billing/balance', { headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveProperty('balance');
  }
});

test('responses must not be cached', async () => {
  const { headers } = await dashboard.get('keys', token);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-powered-by')).toBeNull();
});

test('is not ready without the database, fails calls, and keeps running', async () => {
  const broken = await startDashboard(world);
  const user = await broken.register();
  await world.database.query('ALTER SCHEMA dashboard RENAME TO away');
  try {
    const answer = await broken.get('keys', user.token);
    expect(answer.status).toBe(500);
    expect(answer.body.error).toEqual({
      type: 'internal_error',
      code: 'internal_error',
      message: 'Internal server error.',
    });
  } finally {
    await world.database.query('ALTER SCHEMA away RENAME TO dashboard');
  }
  expect((await broken.get('keys', user.token)).status).toBe(200);
  await broken.stop();
});
