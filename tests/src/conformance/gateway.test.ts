import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSystem } from '../support/system';
import { AUTHENTICATION_CASES } from './authentication';
import { createCaller } from './caller';
import { runCases, type World } from './case';
import { MODEL_CASES } from './model';
import { MONEY_CASES } from './money';
import { NOT_FOUND_CASES } from './not-found';
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
describe('not found', () => runCases(NOT_FOUND_CASES, () => world));

test('refusals cost nothing and hold nothing', async () => {
  const { balance } = await world.system.settled(world.customer);
  expect(balance).toBe(10);
  expect(await world.system.drift()).toBe(0);
});
