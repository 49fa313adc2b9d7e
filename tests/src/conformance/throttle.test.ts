import { afterAll, beforeAll, test } from '@jest/globals';
import { eventually } from '../support/books';
import { expectConforms } from '../support/conforms';
import type { HttpAnswer } from '../support/http';
import { startSystem } from '../support/system';
import { bearer, CHAT_ENDPOINTS, createCaller } from './caller';
import type { World } from './case';

/** Platform-wide, so it has a gateway of its own. */
let world: World;
let operatorToken: string;

beforeAll(async () => {
  const system = await startSystem({ autoRestart: false });
  world = { system, customer: await system.provision(), caller: createCaller(system) };
  operatorToken = await system.operatorToken();
  await throttle(1);
}, 60_000);
afterAll(() => world?.system.stop(), 30_000);

function throttle(requests_per_second: number | null) {
  return world.system.dashboard.call('POST', 'admin/throttle', operatorToken, { requests_per_second });
}

/** Calls until the throttle, of which edges lease shares, refuses one. */
async function untilThrottled(call: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  let last: HttpAnswer | undefined;
  await eventually('the throttle', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, call));
    last = answers.find(({ status }) => status === 429);
    return last !== undefined;
  });
  return last!;
}

const CALLS: readonly [string, () => Promise<HttpAnswer>][] = [
  ...CHAT_ENDPOINTS.map((endpoint): [string, () => Promise<HttpAnswer>] => [
    `POST ${endpoint.path}`,
    () => world.caller.chat(world.customer.apiKey, {}, endpoint),
  ]),
  ['GET /v1/models', () => world.caller.api('GET', '/v1/models', bearer(world.customer.apiKey))],
  [
    'GET /v1/models/{slug}',
    () => world.caller.api('GET', '/v1/models/sim/chat', bearer(world.customer.apiKey)),
  ],
  ['GET /api/v1/models', () => world.caller.dashboard('GET', '/api/v1/models', bearer(world.customer.token))],
  ['GET /api/v1/keys', () => world.caller.dashboard('GET', '/api/v1/keys', bearer(world.customer.token))],
];

test.each(CALLS)('rate_limited: over the platform’s throttle, %s', async (_name, call) => {
  expectConforms(await untilThrottled(call), 'rate_limited');
});

test('it wins over what is wrong with the body, and loses to a wrong key and a wrong path', async () => {
  const { caller, customer } = world;
  expectConforms(await untilThrottled(() => caller.chatBytes(customer.apiKey, '{')), 'rate_limited');
  const many = (call: () => Promise<HttpAnswer>) => Promise.all(Array.from({ length: 16 }, call));
  for (const answer of await many(() => caller.chat(`sk-gw-${'a'.repeat(38)}`))) {
    expectConforms(answer, 'invalid_api_key');
  }
  for (const answer of await many(() => caller.api('POST', '/v1/chat', bearer(customer.apiKey), {}))) {
    expectConforms(answer, 'not_found');
  }
});
