import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/books';
import { startSystem } from '../support/system';
import { AUTHENTICATION_CASES } from './authentication';
import { CHAT, createCaller } from './caller';
import { runCases, type World } from './case';
import { MODEL_CASES } from './model';
import { MONEY_CASES } from './money';
import { NOT_FOUND_CASES } from './not-found';
import { RATE_CASES } from './rates';
import { REQUEST_BODY_CASES } from './request-body';

let world: World;

beforeAll(async () => {
  const system = await startSystem({ autoRestart: false });
  world = { system, customer: await system.provision(), caller: createCaller(system) };
}, 60_000);
afterAll(() => world?.system.stop(), 30_000);

describe('authentication', () => runCases(AUTHENTICATION_CASES, () => world));
describe('request body', () => runCases(REQUEST_BODY_CASES, () => world));
describe('model', () => runCases(MODEL_CASES, () => world));
describe('money', () => runCases(MONEY_CASES, () => world));
describe('rates', () => runCases(RATE_CASES, () => world));
describe('not found', () => runCases(NOT_FOUND_CASES, () => world));

test('why a key is refused cannot be told from the answer', async () => {
  const refusals = AUTHENTICATION_CASES.filter(
    ({ code, when }) => code === 'invalid_api_key' && when.endsWith(`, POST ${CHAT}`),
  );
  const answers = new Set<string>();
  for (const { provoke } of refusals) {
    const { status, headers, text } = await provoke(world);
    const { 'x-request-id': _id, 'request-id': _same, date: _date, ...others } = headers;
    answers.add(JSON.stringify({ status, others, text }));
  }
  expect(refusals.length).toBeGreaterThan(15);
  expect([...answers]).toHaveLength(1);
});

test('a preview model answers once its account has opted in', async () => {
  const { system, caller } = world;
  const { apiKey, token } = await system.provision();
  expect((await caller.chat(apiKey, { model: 'sim/preview' })).status).toBe(404);
  await system.dashboard.call('POST', 'models/sim/preview/opt-in', token, {});
  // Edges hear of it by a push; until then they may remember that it had not.
  const answers = async () => (await caller.chat(apiKey, { model: 'sim/preview' })).status === 200;
  await eventually('the preview model', answers, 1_000);
});

test('refusals cost nothing and hold nothing', async () => {
  const { balance } = await world.system.settled(world.customer);
  expect(balance).toBe(10);
  expect(await world.system.drift()).toBe(0);
});
