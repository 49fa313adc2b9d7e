import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSystem } from '../support/system';
import { bearer, CHAT_ENDPOINTS, createCaller } from './caller';
import { runCasesIn, type World } from './case';
import { OUTAGES } from './internal-error';

let world: World;

beforeAll(async () => {
  const system = await startSystem({ autoRestart: false });
  world = { system, customer: await system.provision(), caller: createCaller(system) };
}, 60_000);
afterAll(() => world?.system.stop(), 30_000);

describe.each(OUTAGES)('without $down', ({ down, cases }) => {
  afterAll(async () => {
    await world.system.stack.restart(down);
    await world.system.stack.ready();
  }, 30_000);
  runCasesIn(
    () => world.system.stack.kill(down),
    cases,
    () => world,
  );
});

test('without catalog every call is answered from what is remembered', async () => {
  const { system, caller, customer } = world;
  await system.stack.kill('catalog');
  for (const endpoint of CHAT_ENDPOINTS) {
    expect((await caller.chat(customer.apiKey, {}, endpoint)).status).toBe(200);
  }
  expect((await caller.api('GET', '/v1/models', bearer(customer.apiKey))).status).toBe(200);
  expect((await caller.dashboard('GET', '/api/v1/models', bearer(customer.token))).status).toBe(200);
});

test('nobody was charged for what was not answered', async () => {
  const { system, customer } = world;
  const { balance } = await system.settled(customer, 10_000);
  // The two calls that were answered.
  expect(balance).toBeGreaterThan(9.99);
  expect(await system.drift()).toBe(0);
});
