import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Customer, startSystem } from '../support/system';
import { AUTHENTICATION_CASES } from './authentication';
import { CHAT_ENDPOINTS, CHAT_FORMATS, createCaller } from './caller';
import { runCases, type World } from './case';
import { DASHBOARD_CASES } from './dashboard';
import { IMAGE_CASES, IMAGE_TIMEOUT_MS } from './images';
import { MODEL_CASES } from './model';
import { FREE_CALLS, MONEY_CASES } from './money';
import { NOT_FOUND_CASES } from './not-found';
import { testOutages } from './outage-tests';
import { testPrecedence } from './precedence-tests';
import { PROVIDER_REFUSAL_CASES } from './provider-refusals';
import { RATE_HEADER_CASES, rateHeadersOf } from './rate-headers';
import { RATE_CASES } from './rates';
import { REQUEST_BODY_CASES } from './request-body';
import { REQUIRED_FIELD_CASES } from './required-fields';
import { testThrottle } from './throttle-tests';
import { VIDEO_CASES } from './video';

let world: World;
/** Pays for videos. */
let spender: Customer;

// Several cases run concurrently.
jest.setTimeout(20_000);

beforeAll(async () => {
  const media = { IMAGE_TIMEOUT_MS: String(IMAGE_TIMEOUT_MS), VIDEO_POLL_INTERVAL_MS: '200' };
  const system = await startSystem({ autoRestart: false, settings: { media } });
  world = { system, customer: await system.provision(), caller: createCaller(system) };
  spender = await system.provision();
}, 60_000);
afterAll(() => world?.system.stop(), 30_000);

describe('authentication', () => runCases(AUTHENTICATION_CASES, () => world));
describe('request body', () => runCases(REQUEST_BODY_CASES, () => world));
describe('required fields', () => runCases(REQUIRED_FIELD_CASES, () => world));
describe('model', () => runCases(MODEL_CASES, () => world));
describe('money', () => runCases(MONEY_CASES, () => world));
describe('rates', () => runCases(RATE_CASES, () => world));
describe('not found', () => runCases(NOT_FOUND_CASES, () => world));
describe('refusals by the provider', () => runCases(PROVIDER_REFUSAL_CASES, () => world));
describe('images', () => runCases(IMAGE_CASES, () => world));
describe('videos', () => runCases(VIDEO_CASES, () => ({ ...world, customer: spender })));
describe('dashboard', () => runCases(DASHBOARD_CASES, () => world));
describe('precedence of errors', () => testPrecedence(() => world));

describe("rate-limit headers report what is left of the key's limits", () => {
  test.concurrent.each(RATE_HEADER_CASES)('after $when', async ({ key, calls, status = 200, headers }) => {
    const customer = await world.system.provision({ key });
    for (const [i, call] of calls.entries()) {
      const answer = await call(world, customer);
      const isLast = i === calls.length - 1;
      expect(answer.status).toBe(isLast ? status : 200);
      if (isLast) expect(rateHeadersOf(answer)).toEqual(headers);
      await world.system.settled(customer);
    }
  });
});

test.concurrent.each(CHAT_FORMATS)(
  'the response does not reveal why a key is refused, POST $path',
  async ({ path }) => {
    const refusals = AUTHENTICATION_CASES.filter(
      ({ code, when }) => code === 'invalid_api_key' && when.endsWith(`, POST ${path}`),
    );
    const answers = new Set<string>();
    for (const { provoke } of refusals) {
      const { status, headers, text } = await provoke(world);
      const { 'x-request-id': _id, 'request-id': _same, date: _date, ...others } = headers;
      answers.add(JSON.stringify({ status, others, text }));
    }
    expect(refusals.length).toBeGreaterThan(15);
    expect([...answers]).toHaveLength(1);
  },
);

test('a preview model can be called once its account has opted in', async () => {
  const { system, caller } = world;
  const { apiKey, token } = await system.provision();
  const statuses = async () => {
    const calls = CHAT_ENDPOINTS.map((endpoint) => caller.chat(apiKey, { model: 'sim/preview' }, endpoint));
    return (await Promise.all(calls)).map(({ status }) => status);
  };
  expect(new Set(await statuses())).toEqual(new Set([404]));
  await system.dashboard.call('POST', 'models/sim/preview/opt-in', token, {});
  expect(new Set(await statuses())).toEqual(new Set([200]));
});

test.each(FREE_CALLS)('%s is answered without money', async (_name, call) => {
  const { apiKey } = await world.system.provision({ balanceUsd: 0 });
  expect((await call(world, apiKey)).status).toBe(200);
});

/** Headers that Anthropic's clients may send. */
const VERSIONS = [{}, { 'anthropic-version': '2023-06-01' }, { 'anthropic-version': '2026-10-21' }];

test.each(CHAT_ENDPOINTS)(
  'x-api-key is accepted without Authorization, with any anthropic-version, POST $path',
  async (endpoint) => {
    const { system, caller } = world;
    const { apiKey } = await system.provision();
    for (const version of VERSIONS) {
      const headers = { 'x-api-key': apiKey, ...version };
      expect((await caller.api('POST', endpoint.path, headers, endpoint.body())).status).toBe(200);
    }
  },
);

test('a model list has the format of its client', async () => {
  const { caller, customer } = world;
  const get = (path: string, headers: object) =>
    caller.api('GET', path, { 'x-api-key': customer.apiKey, ...headers });
  const ofOpenAi = expect.objectContaining({
    id: 'sim/chat',
    object: 'model',
    created: expect.any(Number),
    owned_by: 'sim',
    context_length: 128_000,
    max_output_tokens: 16_384,
  });
  const ofAnthropic = expect.objectContaining({
    id: 'sim/chat',
    type: 'model',
    display_name: 'Simulated chat',
    max_tokens: 16_384,
  });
  expect((await get('/v1/models/sim/chat', {})).json).toEqual(ofOpenAi);
  expect((await get('/v1/models/sim/chat', VERSIONS[1]!)).json).toEqual(ofAnthropic);

  const plain = (await get('/v1/models', {})).json;
  expect(plain).toEqual({ object: 'list', data: expect.arrayContaining([ofOpenAi]) });
  const all: string[] = plain.data.map(({ id }: { id: string }) => id);
  expect(all).toEqual(expect.arrayContaining(['sim/image', 'sim/video']));
  // Anthropic's format has only chat models.
  const chat = (await get('/v1/models?type=chat', {})).json;
  const ids: string[] = chat.data.map(({ id }: { id: string }) => id);
  const versioned = (await get('/v1/models', VERSIONS[1]!)).json;
  expect(versioned).toEqual({
    data: expect.arrayContaining([ofAnthropic]),
    has_more: false,
    first_id: ids[0],
    last_id: ids.at(-1),
  });
  expect(versioned.data.map(({ id }: { id: string }) => id)).toEqual(ids);
});

test('refused calls cost nothing and hold nothing', async () => {
  const { balance } = await world.system.settled(world.customer);
  expect(balance).toBe(10);
  expect(await world.system.drift()).toBe(0);
});

// Last, because these disturb all callers.
describe('without a service', () => testOutages(() => world));
describe("above the platform's throttle", () => testThrottle(() => world));
