import { until } from '@gateway/testing';
import { beforeAll, test } from '@jest/globals';

import { expectConforms } from '../support/conforms';
import type { HttpAnswer } from '../support/http';
import { bearer } from './caller';
import type { World } from './case';
import { CHATS, getApi, getDashboard, SPEECH } from './endpoint-calls';

const CALLS = [
  ...CHATS,
  SPEECH,
  getApi('/v1/models'),
  getApi('/v1/models/sim/chat'),
  getDashboard('/api/v1/models'),
  getDashboard('/api/v1/keys'),
];

/** Tests calls above the platform's throttle. The throttle stays set, so these tests run last. */
export function testThrottle(gateway: () => World): void {
  let world: World;

  beforeAll(async () => {
    const { system } = gateway();
    world = { ...gateway(), customer: await system.provision() };
    const operator = await system.operatorToken();
    await system.dashboard.call('POST', 'admin/throttle', operator, { requests_per_second: 1 });
  });

  test.each(CALLS)("rate_limited: above the platform's throttle, $endpoint", async ({ send }) => {
    expectConforms(await untilThrottled(() => send(world)), 'rate_limited');
  });

  test('the throttle takes precedence over errors in the body, but not over a wrong key or path', async () => {
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
}

/** Calls until the throttle refuses a call; edges lease permits, so the first calls may pass. */
async function untilThrottled(call: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  let last: HttpAnswer | undefined;
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, call));
    last = answers.find(({ status }) => status === 429);
    return last !== undefined;
  });
  return last!;
}
