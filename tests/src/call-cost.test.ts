import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';

let system: System;
let customer: Customer;
beforeAll(async () => {
  system = await startSystem();
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  expect(await system.drift()).toBe(0);
  await system?.stop();
}, 30_000);

const post = (path: string, body: object): Promise<HttpAnswer> =>
  postJson(`${system.stack.apiUrl}${path}`, body, customer.apiKey);
const getKey = (apiKey = customer.apiKey): Promise<HttpAnswer> =>
  sendRequest(`${system.stack.apiUrl}/v1/key`, 'GET', { authorization: `Bearer ${apiKey}` });

/** Returns the only charge of the account, as exact decimal text of USD. */
async function chargeOf({ headers, status, text }: HttpAnswer): Promise<string> {
  if (status !== 200) throw new Error(text);
  await system.settled(customer);
  const [[requestId, nano] = [], ...more] = (await readLedger(system, customer)).charges;
  expect([requestId, more]).toEqual([headers['x-request-id'], []]);
  const digits = String(nano).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
}

/** Returns the cost as the reply writes it, without reading it as a float. */
const lastCostIn = (text: string) => [...text.matchAll(/"cost":([\d.]+)[,}]/g)].at(-1)?.[1];

const messages = [{ role: 'user', content: 'Hello' }];
const FORMATS: readonly [string, (model: string) => string, (model: string) => object][] = [
  [
    'chat completions',
    () => '/v1/chat/completions',
    (model) => ({ model, messages, stream_options: { include_usage: true } }),
  ],
  ['messages', () => '/v1/messages', (model) => ({ model, messages, max_tokens: 500 })],
  ['responses', () => '/v1/responses', (model) => ({ model, input: 'Hello' })],
];
/** One model of each provider format: for each caller format, one passes through and the others are translated. */
const MODELS = ['openai/gpt-5.5', 'anthropic/claude-sonnet-4-6', 'google/gemini-3.5-flash'];

describe.each(FORMATS)('%s', (_, path, body) => {
  test.each(MODELS)('a whole reply of %s has its charge in the header and the usage', async (model) => {
    const { stream_options: _streamOptions, ...whole } = body(model) as Record<string, unknown>;
    const answer = await post(path(model), whole);
    const charge = await chargeOf(answer);
    expect(answer.headers['x-gateway-cost']).toBe(charge);
    expect(lastCostIn(answer.text)).toBe(charge);
  });

  test.each(MODELS)('a stream of %s has its charge in the final usage', async (model) => {
    const answer = await post(path(model), { ...body(model), stream: true });
    expect(lastCostIn(answer.text)).toBe(await chargeOf(answer));
    expect(answer.headers['x-gateway-cost']).toBeUndefined();
  });
});

test.each(MODELS)("a reply of %s in Google's format has its charge in the header", async (model) => {
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const answer = await post(`/v1beta/models/${model}:generateContent`, { contents });
  expect(answer.headers['x-gateway-cost']).toBe(await chargeOf(answer));
});

test.each([
  ['embeddings', '/v1/embeddings', { model: 'sim/embedding', input: 'Hello' }],
  ['images', '/v1/images', { model: 'sim/image', prompt: 'A cat.' }],
])('%s have their charge in the header', async (_, path, body) => {
  const answer = await post(path, body);
  expect(answer.headers['x-gateway-cost']).toBe(await chargeOf(answer));
});

test('a call without usage in its stream has no cost there, and a free call has no header', async () => {
  const stream = await post('/v1/chat/completions', { model: 'openai/gpt-5.5', messages, stream: true });
  expect(lastCostIn(stream.text)).toBeUndefined();
  const counted = await post('/v1/messages/count_tokens', { model: 'sim/chat', messages });
  expect([counted.status, counted.headers['x-gateway-cost']]).toEqual([200, undefined]);
});

describe('GET /v1/key', () => {
  const limits = {
    rpm_limit: 60,
    tpm_limit: 100_000,
    daily_limit: 5,
    monthly_limit: 50,
    request_cost_limit: 0.5,
    allowed_models: ['sim/chat'],
  };

  test('returns the limits of the key, what is used of them, and the funds of the account', async () => {
    customer = await system.provision({ key: limits });
    const answer = await post('/v1/chat/completions', { model: 'sim/chat', messages, max_tokens: 50 });
    const cost = Number(await chargeOf(answer));
    const { status, json, headers } = await getKey();
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-ratelimit-remaining-requests': '58' });
    const resets = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const balance = (await system.dashboard.balance(customer.token)).balance;
    expect(json).toEqual({
      object: 'key',
      name: expect.any(String),
      status: 'enabled',
      expires_at: null,
      allowed_models: ['sim/chat'],
      scopes: null,
      rpm: { limit: 60, used: 2, resets_at: resets },
      tpm: { limit: 100_000, used: expect.any(Number), resets_at: resets },
      daily: { limit: 5, used: cost, resets_at: resets },
      monthly: { limit: 50, used: cost, resets_at: resets },
      request_cost_limit: 0.5,
      account: { balance, available: balance, currency: 'USD' },
    });
    expect(json.daily.resets_at).toMatch(/T00:00:00\.000Z$/);
    expect(json.tpm.used).toBeGreaterThan(0);
  });

  test('tells nothing of another key, and an account without funds gets it', async () => {
    customer = await system.provision({ balanceUsd: 0, key: limits });
    const other = await system.dashboard.createKey(customer.token, 'other', {});
    const { json, text } = await getKey(other.key);
    expect(json).toMatchObject({
      name: 'other',
      rpm: null,
      tpm: null,
      daily: { limit: null, used: 0 },
      request_cost_limit: null,
      account: { balance: 0, available: 0 },
    });
    expect(text).not.toContain(customer.keyId);
  });

  test('counts against RPM', async () => {
    customer = await system.provision({ key: { rpm_limit: 1 } });
    expect((await getKey()).json.rpm).toMatchObject({ limit: 1, used: 1 });
    expect((await getKey()).json.error.code).toBe('rpm_rate_limited');
  });
});
