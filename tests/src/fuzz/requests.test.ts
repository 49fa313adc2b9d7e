import { ERROR_TABLE, type ErrorCode } from '@gateway/proto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bearer, type Caller, CHAT, createCaller } from '../conformance/caller';
import type { HttpAnswer } from '../support/http';
import { sendRaw } from '../support/raw-socket';
import { type Customer, type System, startSystem } from '../support/system';
import { watchHealth } from '../support/watch-health';
import { expectLawful } from './lawful';
import { mutatedJson, mutatedText } from './mutate';
import { casesOf, runFuzz } from './run-fuzz';

const TIME_LIMIT_MS = 2_000_000;

let system: System;
let customer: Customer;
let stranger: Customer;
let caller: Caller;
let checkHealth: () => void;

beforeAll(async () => {
  system = await startSystem({
    autoRestart: false,
    settings: {
      edge: { EDGE_HEADER_TIMEOUT_MS: '1000', EDGE_BODY_TIMEOUT_MS: '1000', EDGE_KEEP_ALIVE_MS: '200' },
    },
  });
  customer = await system.provision({ balanceUsd: 1_000 });
  stranger = await system.provision();
  caller = createCaller(system);
  checkHealth = watchHealth(system);
}, 60_000);
afterAll(() => system?.stop(), 30_000);

/** What the request alone can be guilty of. */
const REQUEST_CODES = new Set<ErrorCode>([
  'invalid_api_key',
  'invalid_request',
  'invalid_model',
  'missing_parameter',
  'not_found',
  'model_not_found',
  'insufficient_balance',
  'upstream_unavailable',
]);

const text = { role: 'user', content: 'hi' };
const BODIES = [
  { model: 'sim/chat', messages: [text], max_tokens: 5 },
  {
    model: 'sim/chat',
    messages: [{ role: 'system', content: 'Be brief.' }, text],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 5,
  },
  {
    model: 'sim/chat',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
    tool_choice: 'auto',
    n: 2,
    stop: ['x'],
    seed: 1,
    logit_bias: { 5: 1 },
    response_format: { type: 'text' },
    temperature: 0.5,
    top_p: 1,
    max_tokens: 5,
    metadata: { a: 'b' },
    user: 'u',
  },
];

test(
  'bodies whose values are mutated',
  async () => {
    await runFuzz(mutatedJson(BODIES), casesOf(900), async (body) => {
      expectLawful(await caller.chatBytes(customer.apiKey, body), REQUEST_CODES);
    });
  },
  TIME_LIMIT_MS,
);

test(
  'bodies whose bytes are mutated',
  async () => {
    await runFuzz(mutatedText(BODIES.map((body) => JSON.stringify(body))), casesOf(600), async (body) => {
      expectLawful(await caller.chatBytes(customer.apiKey, body), REQUEST_CODES);
    });
  },
  TIME_LIMIT_MS,
);

const DASHBOARD_BODIES = [
  {
    name: 'a key',
    expires_at: '2030-01-01T00:00:00Z',
    allowed_models: ['sim/chat'],
    daily_limit: 1.5,
    rpm_limit: 10,
  },
  { name: 'a key', monthly_limit: 20, request_cost_limit: 0.01, tpm_limit: 100_000, expires_at: null },
  { daily_limit: 1_000_000, when_short: 'lower' },
];

test(
  'bodies of the dashboard whose values are mutated',
  async () => {
    const paths = fc.constantFrom(
      'keys',
      `keys/${stranger.keyId}/update`,
      'billing/limits',
      'models/sim/preview/opt-in',
    );
    await runFuzz(fc.tuple(paths, mutatedJson(DASHBOARD_BODIES)), casesOf(300), async ([path, body]) => {
      // A stranger's: what is set here must not stand in the way of the other fuzzers.
      const answer = await caller.dashboard('POST', `/api/v1/${path}`, bearer(stranger.token), body);
      expectLawful(answer, REQUEST_CODES);
    });
  },
  TIME_LIMIT_MS,
);

const headerName = fc.oneof(
  fc.constantFrom(
    'authorization',
    'x-api-key',
    'content-type',
    'content-encoding',
    'accept',
    'expect',
    'host',
    'cookie',
    'x-request-id',
    'anthropic-version',
    'connection',
    'upgrade',
    'te',
    'x-forwarded-for',
    'idempotency-key',
    'if-none-match',
    'range',
  ),
  fc
    .stringMatching(/^[a-z][a-z0-9-]{0,12}$/)
    .filter(
      (name) => !['content-length', 'transfer-encoding', 'keep-alive', 'proxy-connection'].includes(name),
    ),
);
const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'bearer x',
    'application/json',
    'text/plain',
    'gzip',
    '*/*',
    '100-continue',
    'websocket',
    'close',
    'trailers',
    'bytes=0-1',
    'a'.repeat(3_000),
  ),
  fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,40}$/),
);
const headers = fc.dictionary(headerName, headerValue, { minKeys: 1, maxKeys: 5 });

test(
  'headers, over a good call',
  async () => {
    await runFuzz(fc.tuple(headers, fc.boolean()), casesOf(600), async ([extra, list]) => {
      const all = { ...bearer(customer.apiKey), ...extra };
      const answer = list
        ? await caller.api('GET', '/v1/models', all)
        : await caller.api('POST', CHAT, all, BODIES[0]);
      expectLawful(answer, REQUEST_CODES);
    });
  },
  TIME_LIMIT_MS,
);

const segment = fc.oneof(
  fc.constantFrom(
    'v1',
    'api',
    'chat',
    'completions',
    'models',
    'sim',
    'chat',
    'keys',
    'billing',
    'balance',
    'admin',
    '..',
    '.',
    '',
    '%2e%2e',
    '%2F',
    '%00',
    '%zz',
    '%ff',
    'sim%2Fchat',
    '~',
    ';x=1',
    '*',
    'a'.repeat(2_000),
  ),
  fc.stringMatching(/^[\x21-\x7e]{0,10}$/).map((name) => name.replace(/[#?]/g, '')),
);
const path = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`);
const method = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
);
const query = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^[\x21-\x7e]{0,20}$/).map((text) => `?${text.replace(/#/g, '')}`),
);

test(
  'methods, paths and queries in both address spaces',
  async () => {
    await runFuzz(
      fc.tuple(method, path, query, fc.constantFrom('key', 'token', 'none'), fc.boolean()),
      casesOf(900),
      async ([verb, where, what, who, api]) => {
        const credentials = who === 'none' ? {} : bearer(who === 'key' ? customer.apiKey : customer.token);
        const send = api ? caller.api : caller.dashboard;
        expectLawful(
          await send(verb, `${where}${what}`, credentials, verb === 'POST' ? {} : undefined),
          REQUEST_CODES,
        );
      },
    );
  },
  TIME_LIMIT_MS,
);

test(
  'bytes that are almost HTTP',
  async () => {
    const body = JSON.stringify(BODIES[0]);
    const whole = [
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nConnection: close\r\n\r\n`,
    ];
    const origins = [system.stack.apiUrl, system.stack.dashboardUrl];
    await runFuzz(
      fc.tuple(mutatedText(whole), fc.constantFrom(...origins)),
      casesOf(180),
      async ([bytes, origin]) => {
        const raw = await sendRaw(origin, bytes);
        for (const answer of answersIn(raw)) expectLawful(answer, REQUEST_CODES);
      },
    );
  },
  TIME_LIMIT_MS,
);

test('after all of that every process is the one it was, nothing is held and the books add up', async () => {
  await system.settled(customer, 10_000);
  expect(await system.drift()).toBe(0);
  checkHealth();
  expect(Object.keys(ERROR_TABLE)).toEqual(expect.arrayContaining([...REQUEST_CODES]));
});

/** The answers that came back on one connection; the last may be cut when the connection was. */
function answersIn(raw: string): HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  for (const part of raw.split(/(?=HTTP\/1\.1 \d{3} )/)) {
    const headEnd = part.indexOf('\r\n\r\n');
    if (headEnd === -1 || /^HTTP\/1\.1 100 /.test(part)) continue;
    const [statusLine = '', ...lines] = part.slice(0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const text =
      headers['transfer-encoding'] === 'chunked'
        ? unchunked(part.slice(headEnd + 4))
        : part.slice(headEnd + 4);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, text, json });
  }
  return answers;
}

function unchunked(body: string): string {
  return body.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '').replace(/\r\n$/, '');
}
