import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nano, readBooks } from './support/books';
import { postJson } from './support/http';
import { type Customer, type System, startSystem } from './support/system';

const CALLS = 256;
const ADMITTED = 100;
const ROUNDS = process.env.TEST_HEAVY ? 10 : 1;

const body = {
  model: 'sim/chat',
  messages: [{ role: 'user', content: 'wait [[sim {"delay_ms":1500}]]' }],
  max_tokens: 50,
};

describe.each([1, 2])('%i billing instance(s)', (instances) => {
  let system: System;

  beforeAll(async () => {
    system = await startSystem({ instances: { billing: instances, chat: instances, edge: 1 } });
  }, 60_000);
  afterAll(() => system?.stop(), 30_000);

  test(`a balance of exactly ${ADMITTED} holds admits exactly ${ADMITTED} of ${CALLS} calls at once`, async () => {
    const holdNano = await measureHold(system);
    for (let round = 0; round < ROUNDS; round++) {
      const customer = await system.provision({ balanceUsd: Number(holdNano * BigInt(ADMITTED)) / 1e9 });
      const answers = await Promise.all(Array.from({ length: CALLS }, () => call(system, customer)));
      const codes = answers.map(({ status, json }) => (status === 200 ? 'ok' : json.error.code));
      expect(codes.filter((code) => code === 'ok')).toHaveLength(ADMITTED);
      expect(codes.filter((code) => code === 'insufficient_balance')).toHaveLength(CALLS - ADMITTED);

      await system.settled(customer);
      const { balanceNano, charges } = await readBooks(system, customer);
      expect(charges.size).toBe(ADMITTED);
      expect(balanceNano).toBeGreaterThanOrEqual(0n);
      expect(await system.drift()).toBe(0);
    }
  }, 60_000);
});

function call(system: System, customer: Customer) {
  return postJson(`${system.stack.apiUrl}/v1/chat/completions`, body, customer.apiKey);
}

/** What one such call holds, read while it is under way. */
async function measureHold(system: System): Promise<bigint> {
  const customer = await system.provision();
  const pending = call(system, customer);
  let held = 0;
  while (held === 0) held = (await system.dashboard.balance(customer.token)).held;
  await pending;
  return nano(held);
}
