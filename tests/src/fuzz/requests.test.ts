import { ERROR_TABLE, type ErrorCode } from '@gateway/errors';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bearer,
  type Caller,
  CHAT_ENDPOINTS,
  type ChatEndpoint,
  COMPLETIONS,
  COUNT_TOKENS,
  createCaller,
  EMBEDDINGS,
  MESSAGES,
  MODERATIONS,
  RERANK,
  TEXT_COMPLETIONS,
} from '../conformance/caller';
import type { HttpAnswer } from '../support/http';
import { sendRaw } from '../support/raw-socket';
import { type Customer, type System, startSystem } from '../support/system';
import { watchHealth } from '../support/watch-health';
import { mutatedJson, mutatedText } from './mutate';
import { AUDIO_REQUESTS, COMPLETION_REQUESTS, MESSAGE_REQUESTS, PNG } from './request-bodies';
import { caseCount, runFuzz } from './run-fuzz';
import { expectTranslated } from './translated';
import { expectWithinContract } from './within-contract';

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
      media: { VIDEO_POLL_INTERVAL_MS: '200' },
      // One account makes all of these changes.
      dashboard: { CHANGE_LIMIT_PER_ACCOUNT: '1000000' },
      edge: { EDGE_HEADER_TIMEOUT_MS: '1000', EDGE_BODY_TIMEOUT_MS: '1000', EDGE_KEEP_ALIVE_MS: '200' },
    },
  });
  customer = await system.provision({ balanceUsd: 1_000 });
  stranger = await system.provision();
  caller = createCaller(system);
  checkHealth = watchHealth(system);
}, 60_000);
afterAll(() => system?.stop(), 30_000);

/** Error codes that a request alone can cause. */
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

/** A model of each provider format. */
const MODELS = ['sim/chat', 'openai/gpt-5.4-mini', 'anthropic/claude-haiku-4-5', 'google/gemini-2.5-flash'];
const ofEveryModel = (bodies: readonly object[]) =>
  MODELS.flatMap((model) => bodies.map((body) => ({ ...body, model })));
const COMPLETION_BODIES = [
  ...ofEveryModel(COMPLETION_REQUESTS),
  ...AUDIO_REQUESTS.map((body) => ({ ...body, model: 'sim/audio' })),
];
const MESSAGE_BODIES = ofEveryModel(MESSAGE_REQUESTS);
const COUNT_BODIES = MESSAGE_REQUESTS.map(({ max_tokens: _maximum, stream: _stream, ...body }) => body);

const EMBEDDING_MODELS = ['sim/embedding', 'google/gemini-embedding-001', 'mistral/mistral-embed'];
const EMBEDDING_BODIES = EMBEDDING_MODELS.flatMap((model) => [
  { model, input: 'hi' },
  { model, input: ['hi', 'ho'], encoding_format: 'base64', dimensions: 16, input_type: 'query', user: 'u' },
  { model, input: [[1, 2], [3]], encoding_format: 'float' },
]);

const MODERATION_BODIES = ['sim/moderation', 'openai/omni-moderation-latest'].flatMap((model) => [
  { model, input: 'hi' },
  { model, input: ['hi', 'ho'] },
  {
    model,
    input: [
      { type: 'text', text: 'hi' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ],
  },
]);
const RERANK_BODIES = [
  { model: 'sim/rerank', query: 'hi', documents: ['hi', { text: 'ho' }], top_n: 1, return_documents: true },
  { model: 'sim/rerank', query: 'hi', documents: ['hi'], max_tokens_per_doc: 9 },
];
const TEXT_COMPLETION_BODIES = ['sim/chat', 'deepseek/deepseek-chat', 'mistral/codestral-latest'].flatMap(
  (model) => [
    { model, prompt: 'def f(', suffix: ')', max_tokens: 16, temperature: 0, stop: ['\n'], seed: 1 },
    { model, prompt: ['a', 'b'], n: 2, best_of: 3, echo: true, logprobs: 1, user: 'u' },
    { model, prompt: [[1, 2], [3]], max_tokens: 0, logit_bias: { 1: 2 } },
  ],
);

/** Number of cases per endpoint, by value and by byte. */
const FUZZED = [
  { endpoint: COMPLETIONS, bodies: COMPLETION_BODIES, byValue: 18_000, byByte: 12_000 },
  { endpoint: MESSAGES, bodies: MESSAGE_BODIES, byValue: 18_000, byByte: 12_000 },
  { endpoint: COUNT_TOKENS, bodies: COUNT_BODIES, byValue: 6_000, byByte: 3_600 },
  { endpoint: TEXT_COMPLETIONS, bodies: TEXT_COMPLETION_BODIES, byValue: 6_000, byByte: 3_600 },
  { endpoint: MODERATIONS, bodies: MODERATION_BODIES, byValue: 3_000, byByte: 1_800 },
  { endpoint: RERANK, bodies: RERANK_BODIES, byValue: 3_000, byByte: 1_800 },
  { endpoint: EMBEDDINGS, bodies: EMBEDDING_BODIES, byValue: 6_000, byByte: 3_600 },
];

/** Their replies exist in one format only. */
const UNTRANSLATED: readonly ChatEndpoint[] = [TEXT_COMPLETIONS, MODERATIONS, RERANK];

describe.each(FUZZED)('POST $endpoint.path', ({ endpoint, bodies, byValue, byByte }) => {
  const expectLawfulAnswer = async (body: string | Buffer) => {
    const answer = await caller.chatBytes(customer.apiKey, body, endpoint);
    expectWithinContract(answer, REQUEST_CODES);
    if (answer.status !== 200) return;
    if (endpoint === COUNT_TOKENS) expect(answer.json).toEqual({ input_tokens: expect.any(Number) });
    else if (endpoint === EMBEDDINGS)
      expect(answer.json).toMatchObject({ object: 'list', model: expect.any(String) });
    else if (UNTRANSLATED.includes(endpoint))
      expect(answer.json?.model ?? answer.text).toEqual(expect.any(String));
    else expectTranslated(answer, endpoint.path);
  };

  test(
    'answers bodies with mutated values within the contract',
    () => runFuzz(mutatedJson(bodies), caseCount(byValue), expectLawfulAnswer),
    TIME_LIMIT_MS,
  );

  test(
    'answers bodies with mutated bytes within the contract',
    () => {
      const texts = bodies.map((body) => JSON.stringify(body));
      return runFuzz(mutatedText(texts), caseCount(byByte), expectLawfulAnswer);
    },
    TIME_LIMIT_MS,
  );
});

const VIDEO_CODES = new Set<ErrorCode>([
  ...REQUEST_CODES,
  'video_model_not_found',
  'video_tier_not_found',
  'video_generation_failed',
]);
const aspect_ratio = '16:9';
const reference_images = ['https://example.com/a.png', `data:image/png;base64,${PNG}`];
/** A valid body for each path. */
const VIDEO_CALLS: readonly (readonly [path: string, body: object])[] = [
  ['sim/create', { model: 'sim/video', prompt: 'a cat', tier: 'pro', duration: 10, reference_images }],
  ['minimax/create', { model: 'minimax/minimax-h3', prompt: 'a cat', resolution: '768P', reference_images }],
  ['kling/create', { model: 'kling/kling-v3', prompt: 'a cat', tier: 'std', duration: 3, aspect_ratio }],
  ['alibaba/create', { model: 'alibaba/wan2.6-t2v', prompt: 'a cat', duration: 2, aspect_ratio }],
  ['google/create', { model: 'google/veo-3.1', prompt: 'a cat', tier: '720p', duration: 4, aspect_ratio }],
  ['sim/status', { task_id: 'task_0190b5a0-0000-7000-8000-000000000000' }],
  ['sim/result', { task_id: 'task_0190b5a0-0000-7000-8000-000000000000' }],
];

test(
  'video calls with mutated values get responses within the contract',
  async () => {
    // A separate customer, because tasks hold money until they end.
    const director = await system.provision({ balanceUsd: 1_000_000 });
    const calls = VIDEO_CALLS.map(([path, body]) => fc.tuple(fc.constant(path), mutatedJson([body])));
    await runFuzz(fc.oneof(...calls), caseCount(10_000), async ([path, body]) => {
      const answer = await caller.api('POST', `/v1/videos/${path}`, bearer(director.apiKey), body);
      expectWithinContract(answer, VIDEO_CODES);
    });
    await system.settled(director, 30_000);
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
  { bare_model_names: false },
];

test(
  'dashboard calls with mutated values get responses within the contract',
  async () => {
    const paths = fc.constantFrom(
      'keys',
      `keys/${stranger.keyId}/update`,
      'billing/limits',
      'account/settings',
      'models/sim/preview/opt-in',
    );
    await runFuzz(fc.tuple(paths, mutatedJson(DASHBOARD_BODIES)), caseCount(6_000), async ([path, body]) => {
      // Of another account, so that these settings do not affect the other fuzz tests.
      const answer = await caller.dashboard('POST', `/api/v1/${path}`, bearer(stranger.token), body);
      expectWithinContract(answer, REQUEST_CODES);
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
    'anthropic-beta',
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
  'valid calls with random headers get responses within the contract',
  async () => {
    const endpoints = fc.constantFrom(undefined, undefined, ...CHAT_ENDPOINTS);
    await runFuzz(fc.tuple(headers, endpoints), caseCount(18_000), async ([extra, endpoint]) => {
      const all = { ...bearer(customer.apiKey), ...extra };
      const answer = endpoint
        ? await caller.api('POST', endpoint.path, all, endpoint.body())
        : await caller.api('GET', '/v1/models', all);
      expectWithinContract(answer, REQUEST_CODES);
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
    'messages',
    'count_tokens',
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
  'random methods, paths and queries get responses within the contract in both address spaces',
  async () => {
    await runFuzz(
      fc.tuple(method, path, query, fc.constantFrom('key', 'token', 'none'), fc.boolean()),
      caseCount(18_000),
      async ([verb, where, what, who, api]) => {
        const credentials = who === 'none' ? {} : bearer(who === 'key' ? customer.apiKey : customer.token);
        const send = api ? caller.api : caller.dashboard;
        expectWithinContract(
          await send(verb, `${where}${what}`, credentials, verb === 'POST' ? {} : undefined),
          REQUEST_CODES,
        );
      },
    );
  },
  TIME_LIMIT_MS,
);

test(
  'mutated HTTP requests get responses within the contract',
  async () => {
    const body = JSON.stringify(MESSAGES.body());
    const whole = [
      `POST ${MESSAGES.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      `POST ${MESSAGES.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.apiKey}\r\nConnection: close\r\n\r\n`,
    ];
    const origins = [system.stack.apiUrl, system.stack.dashboardUrl];
    await runFuzz(
      fc.tuple(mutatedText(whole), fc.constantFrom(...origins)),
      caseCount(3_600),
      async ([bytes, origin]) => {
        const raw = await sendRaw(origin, bytes);
        for (const answer of answersIn(raw)) expectWithinContract(answer, REQUEST_CODES);
      },
    );
  },
  TIME_LIMIT_MS,
);

test('after all mutated requests every process is still running, nothing is held and the books balance', async () => {
  await system.settled(customer);
  expect(await system.drift()).toBe(0);
  checkHealth();
  expect(Object.keys(ERROR_TABLE)).toEqual(expect.arrayContaining([...REQUEST_CODES]));
});

/** Parses the responses of one connection; the last may be incomplete. */
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
