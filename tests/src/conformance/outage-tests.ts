import type { ServiceName } from '@gateway/local-stack';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer, CHAT_ENDPOINTS } from './caller';
import { runCasesIn, type World } from './case';
import { OUTAGES } from './outages';

/** Tests responses while a service is down. Each service is restarted afterwards. */
export function testOutages(gateway: () => World): void {
  /** Has an account that is used only here. */
  let world: World;

  beforeAll(async () => {
    world = { ...gateway(), customer: await gateway().system.provision() };
  });

  const backUp = async (service: ServiceName) => {
    await world.system.stack.restart(service);
    await world.system.stack.ready();
  };

  describe.each(OUTAGES)('without $down', ({ down, cases }) => {
    afterAll(() => backUp(down), 30_000);
    runCasesIn(
      () => world.system.stack.kill(down),
      cases,
      () => world,
    );
  });

  describe('without catalog', () => {
    afterAll(() => backUp('catalog'), 30_000);

    test('calls are answered from cached models and prices', async () => {
      const { system, caller, customer } = world;
      await system.stack.kill('catalog');
      for (const endpoint of CHAT_ENDPOINTS) {
        expect((await caller.chat(customer.apiKey, {}, endpoint)).status).toBe(200);
      }
      expect((await caller.api('GET', '/v1/models', bearer(customer.apiKey))).status).toBe(200);
      expect((await caller.dashboard('GET', '/api/v1/models', bearer(customer.token))).status).toBe(200);
    });
  });

  test('no failed call was charged during the outages', async () => {
    const { system, customer } = world;
    const { balance } = await system.settled(customer);
    // Only answered calls were charged.
    expect(balance).toBeGreaterThan(9.99);
    expect(await system.drift()).toBe(0);
  });
}
