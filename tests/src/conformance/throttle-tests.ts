import { beforeAll, test } from '@jest/globals';
import { eventually } from '../support/books';
import { expectConforms } from '../support/conforms';
import type { HttpAnswer } from '../support/http';
import { bearer } from './caller';
import type { World } from './case';
import { CHATS, getApi, getDashboard } from './endpoint-calls';

const CALLS = [
  ...CHATS,
  getApi('/v1/models'),
  getApi('/v1/models/sim/chat'),
  getDashboard('/api/v1/models'),
  getDashboard('/api/v1/keys'),
];

/** Who is over the platform's throttle. It is left in place, so this is the last of a gateway's tests. */
export function testThrottle(gateway: () => World): void {
  let world: World;

  beforeAll(async () => {
    const { system } = gateway();
    world = { ...gateway(), customer: await system.provision() };
    const operator = await system.operatorToken();
    await system.dashboard.call('POST', 'admin/throttle', operator, { requests_per_second: 1 });
  });

  test.each(CALLS)('rate_limited: over the platform’s throttle, $endpoint', async ({ send }) => {
    expectConforms(await untilThrottled(() => send(world)), 'rate_limited');
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
