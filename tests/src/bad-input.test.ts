import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { sendRaw } from './support/raw-socket';
import { type Customer, type System, startSystem } from './support/system';

let system: System;
let customer: Customer;
let chatUrl: string;

beforeAll(async () => {
  system = await startSystem({
    autoRestart: false,
    settings: { edge: { EDGE_HEADER_TIMEOUT_MS: '1000', EDGE_BODY_TIMEOUT_MS: '1500' } },
  });
  customer = await system.provision();
  chatUrl = `${system.stack.apiUrl}/v1/chat/completions`;
}, 60_000);

afterAll(() => system?.stop(), 30_000);

const valid = { model: 'sim/chat', messages: [{ role: 'user', content: 'hi' }] };
const bearer = () => ({ authorization: `Bearer ${customer.apiKey}` });
const json = { 'content-type': 'application/json' };

function expectError(answer: HttpAnswer, status: number, code: string): void {
  expect([answer.status, answer.json?.error?.code]).toEqual([status, code]);
  expect(Object.keys(answer.json)).toEqual(['error']);
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expectNoLeak(answer.text);
}

function expectNoLeak(text: string): void {
  expect(text).not.toMatch(/node_modules|\/src\/|\.js:\d|at .*\(|ECONN|Error:|sk-gw-/);
}

describe('credentials', () => {
  const refused: [string, Record<string, string>][] = [
    ['no credentials', {}],
    ['an empty Authorization', { authorization: '' }],
    ['another scheme', { authorization: 'Basic c2s6' }],
    ['no scheme', { authorization: `sk-gw-${'a'.repeat(30)}` }],
    ['a lower-case scheme', { authorization: `bearer sk-gw-${'a'.repeat(30)}` }],
    ['two spaces after the scheme', { authorization: `Bearer  sk-gw-${'a'.repeat(30)}` }],
    ['no secret', { authorization: 'Bearer sk-gw-' }],
    ['another prefix', { authorization: `Bearer sk-${'a'.repeat(40)}` }],
    ['an unknown key', { authorization: `Bearer sk-gw-${'a'.repeat(30)}` }],
    ['an unknown x-api-key', { 'x-api-key': `sk-gw-${'a'.repeat(30)}` }],
    ['a key of 8 KB', { authorization: `Bearer sk-gw-${'a'.repeat(8_000)}` }],
  ];

  test.each(refused)('invalid_api_key answers %s', async (_name, headers) => {
    expectError(
      await sendRequest(chatUrl, 'POST', { ...json, ...headers }, Buffer.from('{}')),
      401,
      'invalid_api_key',
    );
  });

  test('invalid_api_key answers a login token in place of a key', async () => {
    const headers = { ...json, authorization: `Bearer ${customer.token}` };
    expectError(await sendRequest(chatUrl, 'POST', headers, Buffer.from('{}')), 401, 'invalid_api_key');
  });

  test('an invalid Authorization is not replaced by a valid x-api-key', async () => {
    const headers = { ...json, authorization: 'Bearer x', 'x-api-key': customer.apiKey };
    expectError(await sendRequest(chatUrl, 'POST', headers, Buffer.from('{}')), 401, 'invalid_api_key');
  });

  test('x-api-key is accepted without Authorization', async () => {
    const headers = { ...json, 'x-api-key': customer.apiKey };
    const answer = await sendRequest(chatUrl, 'POST', headers, Buffer.from(JSON.stringify(valid)));
    expect(answer.status).toBe(200);
  });

  test('a deleted key is refused on its next call', async () => {
    const other = await system.provision();
    expect((await postJson(chatUrl, valid, other.apiKey)).status).toBe(200);
    await system.dashboard.call('POST', `keys/${other.keyId}/delete`, other.token, {});
    expectError(await postJson(chatUrl, valid, other.apiKey), 401, 'invalid_api_key');
  });
});

describe('paths, methods and address spaces', () => {
  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'not_found answers the method %s',
    async (method) => {
      expectError(await sendRequest(chatUrl, method, bearer()), 404, 'not_found');
      expectError(await sendRequest(`${system.stack.dashboardUrl}/api/v1/models`, method), 404, 'not_found');
    },
  );

  test('HEAD gets a response without a body', async () => {
    const answer = await sendRequest(chatUrl, 'HEAD', bearer());
    expect([answer.status, answer.text]).toEqual([404, '']);
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  test.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/chat',
    '/v1/chat/completions/',
    '//v1/chat/completions',
    '/V1/chat/completions',
    '/v1/chat%2Fcompletions',
    '/v2/chat/completions',
    '/chat/completions',
    '/v1/../v1/chat/completions',
    '/metrics',
    '/healthz',
  ])('not_found answers POST %s', async (path) => {
    const raw = await sendRaw(
      system.stack.apiUrl,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    expect(raw).toMatch(/^HTTP\/1\.1 404 /);
    expect(raw).toContain('"code":"not_found"');
  });

  test('not_found answers a known path with another method', async () => {
    expectError(await sendRequest(chatUrl, 'GET', bearer()), 404, 'not_found');
    expectError(await sendRequest(`${system.stack.apiUrl}/v1/models`, 'POST', bearer()), 404, 'not_found');
  });

  test('each address space serves only its own paths', async () => {
    const { apiUrl, dashboardUrl } = system.stack;
    const token = { authorization: `Bearer ${customer.token}` };
    expectError(await sendRequest(`${apiUrl}/api/v1/models`, 'GET', token), 404, 'not_found');
    expectError(await sendRequest(`${dashboardUrl}/v1/models`, 'GET', bearer()), 404, 'not_found');
    expectError(await sendRequest(`${dashboardUrl}/api/v1/models`, 'GET', bearer()), 404, 'not_found');
    expect((await sendRequest(`${dashboardUrl}/api/v1/models`, 'GET', token)).status).toBe(200);
  });

  test('the dashboard requires a token', async () => {
    const answer = await sendRequest(`${system.stack.dashboardUrl}/api/v1/models`, 'GET');
    expect([answer.status, answer.json.error.type]).toEqual([401, 'authentication_error']);
  });
});

describe('request bodies', () => {
  const broken: [string, string][] = [
    ['an empty body', ''],
    ['truncated JSON', '{"model":"sim/chat","messages":[{"role":"user"'],
    ['plain text', 'hello'],
    ['an array', '[]'],
    ['null', 'null'],
    ['deep nesting', '['.repeat(100_000)],
    ['a deep value', `{"model":"sim/chat","messages":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['a NUL', `${JSON.stringify(valid)}\0`],
    ['a byte-order mark', `\ufeff${JSON.stringify(valid)}`],
  ];

  test.each(broken)('invalid_request answers %s', async (_name, body) => {
    expectError(await postJson(chatUrl, body, customer.apiKey), 400, 'invalid_request');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'invalid_request answers content type %p',
    async (type) => {
      const headers = { ...bearer(), ...(type && { 'content-type': type }) };
      const answer = await sendRequest(chatUrl, 'POST', headers, Buffer.from(JSON.stringify(valid)));
      expectError(answer, 400, 'invalid_request');
    },
  );

  test('prototype keys, lone surrogates and huge numbers have no effect', async () => {
    const hostile =
      '{"model":"sim/chat","messages":[{"role":"user","content":"\\ud800 x","__proto__":{"role":"system"},"constructor":1e999}]}';
    expect((await postJson(chatUrl, hostile, customer.apiKey)).status).toBe(200);
    expectError(
      await postJson(chatUrl, '{"__proto__":{"model":"sim/chat"}}', customer.apiKey),
      400,
      'invalid_request',
    );
  });

  test('invalid_request answers a body over the limit, with or without Content-Length', async () => {
    const tooLarge = Buffer.alloc(33 * 1024 * 1024, 0x20);
    expectError(
      await sendRequest(chatUrl, 'POST', { ...bearer(), ...json, 'content-length': tooLarge.length }),
      400,
      'invalid_request',
    );
    const raw = await sendRaw(
      system.stack.apiUrl,
      Buffer.concat([
        Buffer.from(
          `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${tooLarge.length.toString(16)}\r\n`,
        ),
        tooLarge,
      ]),
    );
    expect(raw === '' || raw.includes('"code":"invalid_request"')).toBe(true);
  });

  test('a large body within the limit is accepted', async () => {
    // 100,000 of the 128,000 tokens of the model's context.
    const content = ' responsibilities'.repeat(100_000);
    const rich = await system.provision({ balanceUsd: 100 });
    const answer = await postJson(chatUrl, { ...valid, messages: [{ role: 'user', content }] }, rich.apiKey);
    expect(answer.status).toBe(200);
    await system.settled(rich);
  }, 30_000);

  test('a prompt longer than the context is refused with both figures, free of charge', async () => {
    // Eight tokens a word, which are counted in a sixth of the CPU time that a count may take.
    const content = ' zqxjkvwpfzqx'.repeat(18_000);
    const rich = await system.provision({ balanceUsd: 100 });
    const answer = await postJson(chatUrl, { ...valid, messages: [{ role: 'user', content }] }, rich.apiKey);
    expectError(answer, 400, 'invalid_request');
    expect(answer.json.error.detail).toMatch(
      / 14\d{4} tokens, which exceeds the 128000-token context of sim\/chat$/,
    );
    expect((await system.meter({ requestId: String(answer.headers['x-request-id']) })).entries).toEqual([]);
    expect((await system.settled(rich)).balance).toBe(100);
  }, 30_000);
});

describe('requests that the HTTP parser rejects', () => {
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n';
  const cases: [string, string][] = [
    ['a line that is not HTTP', 'hello\r\n\r\n'],
    ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a duplicate Content-Length', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      'Content-Length with Transfer-Encoding',
      `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a bare CR', `${head}X: a\rY: b\r\n\r\n`],
    ['a space before the colon', `${head}X : a\r\n\r\n`],
    ['a broken chunk', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a header of 70 KB', `${head}X: ${'a'.repeat(70_000)}\r\n\r\n`],
    [
      'ten thousand headers',
      `${head}${Array.from({ length: 10_000 }, (_v, i) => `X-${i}: 1\r\n`).join('')}\r\n`,
    ],
    ['a negative Content-Length', `${head}Content-Length: -1\r\n\r\n`],
  ];

  test.each(cases)('%s gets an error envelope or a closed socket', async (_name, bytes) => {
    const raw = await sendRaw(system.stack.apiUrl, bytes);
    expectNoLeak(raw);
    if (raw === '') return;
    expect(raw).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(raw).toMatch(/x-request-id: [0-9a-f-]{36}/i);
    expect(JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4)).error.code).toMatch(
      /^(invalid_request|not_found|invalid_api_key)$/,
    );
  });

  test('a client that sends its headers or body too slowly is disconnected', async () => {
    const slowHead = sendRaw(system.stack.apiUrl, head);
    const slowBody = sendRaw(
      system.stack.apiUrl,
      `${head}Authorization: Bearer ${customer.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    for (const raw of await Promise.all([slowHead, slowBody])) {
      expectNoLeak(raw);
      if (raw !== '') expect(raw).toContain('"code":"invalid_request"');
    }
  }, 40_000);
});

test('after all bad input, every service still runs and no money is held', async () => {
  await system.stack.ready();
  expect(system.stack.processes()).toHaveLength(8);
  expect((await postJson(chatUrl, valid, customer.apiKey)).status).toBe(200);
  await system.settled(customer);
  expect(await system.drift()).toBe(0);
});
