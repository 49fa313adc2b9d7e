import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { postJson } from './support/http';
import { nano, readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';

const CALLS = 256;
const ADMITTED = 100;
const HEAVY = Boolean(process.env.TEST_HEAVY);
const ROUNDS = HEAVY ? 10 : 1;
/** A normal run skips the single instance, where instances cannot race. */
const INSTANCES = HEAVY ? [1, 2] : [2];

/** Call durations to try: on a busy machine the first call may settle, below its hold, before the last arrives. */
const CALL_MS = [2_500, 6_000, 24_000];

const bodyOf = (callMs: number) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content: `wait [[sim {"delay_ms":${callMs}}]]` }],
  max_tokens: 50,
});

describe.each(INSTANCES)('with %i billing instance(s)', (instances) => {
  let system: System;

  beforeAll(async () => {
    system = await startSystem({ instances: { billing: instances, chat: instances, edge: 1 } });
  }, 60_000);
  afterAll(() => system?.stop(), 30_000);

  test(`a balance of exactly ${ADMITTED} holds admits exactly ${ADMITTED} of ${CALLS} concurrent calls`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { customer, codes } = await callConcurrently(system);
      expect(codes.filter((code) => code === 'ok')).toHaveLength(ADMITTED);
      expect(codes.filter((code) => code === 'insufficient_balance')).toHaveLength(CALLS - ADMITTED);

      await system.settled(customer);
      const { balanceNano, charges } = await readLedger(system, customer);
      expect(charges.size).toBe(ADMITTED);
      expect(balanceNano).toBeGreaterThanOrEqual(0n);
      expect(await system.drift()).toBe(0);
    }
  }, 120_000);
});

/**
 * Makes concurrent calls of a customer who can pay for `ADMITTED`, none of which ends before all are decided: every refusal comes
 * before the first success, and all successes come close together. A call admitted after a settlement would succeed a whole call
 * duration later.
 */
async function callConcurrently(system: System): Promise<{ customer: Customer; codes: readonly string[] }> {
  for (const callMs of CALL_MS) {
    const holdNano = await measureHold(system, callMs);
    const customer = await system.provision({ balanceUsd: Number(holdNano * BigInt(ADMITTED)) / 1e9 });
    const codes: string[] = [];
    const successesMs: number[] = [];
    const callOnce = async () => {
      const { status, json } = await call(system, customer, callMs);
      codes.push(status === 200 ? 'ok' : json.error.code);
      if (status === 200) successesMs.push(performance.now());
    };
    await Promise.all(Array.from({ length: CALLS }, callOnce));
    const wereConcurrent =
      codes.indexOf('ok') > codes.lastIndexOf('insufficient_balance') &&
      successesMs.at(-1)! - successesMs[0]! < callMs / 2;
    if (wereConcurrent || callMs === CALL_MS.at(-1)) return { customer, codes };
  }
  throw new Error('unreachable');
}

function call(system: System, customer: Customer, callMs: number) {
  return postJson(`${system.stack.apiUrl}/v1/chat/completions`, bodyOf(callMs), customer.apiKey);
}

/** Returns the hold of one call, read while it is in flight. */
async function measureHold(system: System, callMs: number): Promise<bigint> {
  const customer = await system.provision();
  const pending = call(system, customer, callMs);
  let held = 0;
  while (held === 0) held = (await system.dashboard.balance(customer.token)).held;
  await pending;
  return nano(held);
}
