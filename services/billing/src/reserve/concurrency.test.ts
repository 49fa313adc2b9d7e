import { randomInt, randomUUIDv7 } from 'node:crypto';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reserveRequest, summary, TestBilling, usageEvent, WAIT } from '../testing/test-billing';

let database: TestDatabase;
let instances: TestBilling[];
beforeAll(async () => {
  database = await createTestDatabase();
  // Sequentially: the first instance migrates the database.
  instances = [await TestBilling.start(database.url), await TestBilling.start(database.url)];
}, 60_000);
afterAll(async () => {
  await Promise.all(instances?.map((instance) => instance.stop()) ?? []);
  await database?.drop();
}, 60_000);

const tally = (replies: readonly ReserveReply__Output[]) => {
  const counts: Record<string, number> = {};
  for (const reply of replies) counts[summary(reply)] = (counts[summary(reply)] ?? 0) + 1;
  return counts;
};

/** Reserves the calls over all instances and several streams of each. */
async function reserveEverywhere(calls: ReturnType<typeof reserveRequest>[], count: number) {
  const parts = Array.from({ length: count * 4 }, (_, part) =>
    calls.filter((_, i) => i % (count * 4) === part),
  );
  const replies = await Promise.all(parts.map((part, i) => instances[i % count]!.reserve(...part)));
  return replies.flat();
}

describe.each([1, 2])('with %i instances', (count) => {
  test('256 concurrent calls on a balance of exactly 100 holds: exactly 100 are admitted', async () => {
    for (let round = 0; round < 5; round++) {
      const key = await instances[0]!.createFundedKey(100n * 7_919n);
      const calls = Array.from({ length: 256 }, () => reserveRequest(key, 7_919n));
      const replies = await reserveEverywhere(calls, count);
      expect(tally(replies)).toEqual({ 'granted 7919': 100, insufficient_balance: 156 });
      expect(await instances[0]!.account(key.accountId)).toMatchObject({
        balanceNano: '791900',
        heldNano: '791900',
      });
    }
    expect(await instances[0]!.metric('ledger_drift_nano')).toBe(0);
  });

  test('concurrent calls overspend neither the daily nor the monthly key cap', async () => {
    for (const [limits, code] of [
      [{ dailyLimitNano: '1000' }, 'key_daily_limit'],
      [{ monthlyLimitNano: '1000' }, 'key_monthly_limit'],
    ] as const) {
      const key = await instances[0]!.createFundedKey(1_000_000n, limits);
      const calls = Array.from({ length: 100 }, () => reserveRequest(key, 30n));
      expect(tally(await reserveEverywhere(calls, count))).toEqual({ 'granted 30': 33, [code]: 67 });
    }
    expect(await instances[0]!.metric('ledger_drift_nano')).toBe(0);
  });
});

test('concurrent reservations with one id create one hold; only one new call is granted, repeats get the same hold', async () => {
  const key = await instances[0]!.createFundedKey(1_000n);
  for (let round = 0; round < 20; round++) {
    const call = reserveRequest(key, 10n);
    const ask = async (request: typeof call) => {
      const replies = await Promise.all(
        instances.flatMap((one) => [one.reserve(request, request), one.reserve(request)]),
      );
      return tally(replies.flat());
    };
    expect(await ask(call)).toEqual({ 'granted 10': 1, invalid_request: 5 });
    expect(await ask({ ...call, isNew: false })).toEqual({ 'granted 10': 6 });
  }
  expect(await instances[0]!.account(key.accountId)).toMatchObject({ heldNano: '200' });
});

test('concurrent reserve, settle, release, repeat, top up and list on all instances cause no drift or error', async () => {
  const keys = await Promise.all(Array.from({ length: 6 }, () => instances[0]!.createFundedKey(1_000_000n)));
  const any = <T>(list: readonly T[]): T => list[randomInt(list.length)]!;
  const worker = async () => {
    for (let round = 0; round < 6; round++) {
      const calls = Array.from({ length: randomInt(1, 12) }, () =>
        reserveRequest(any(keys), BigInt(randomInt(1, 5_000))),
      );
      const replies = await any(instances).reserve(...calls);
      const granted = calls.filter((_, i) => replies[i]?.grant);
      const events = granted.map((call) =>
        usageEvent(call, BigInt(randomInt(0, 6_000)), {
          outcome: randomInt(4) === 0 ? 'USAGE_OUTCOME_RELEASED' : 'USAGE_OUTCOME_SETTLED',
        }),
      );
      const topup = { id: `top_${randomUUIDv7()}`, accountId: any(keys).accountId, amountNano: '5000' };
      const { asDashboard: client } = any(instances);
      await Promise.all([
        any(instances).deliver(...events),
        any(instances).deliver(...events.toReversed()),
        callUnary(client, client.CreateTopup, { ...topup, status: 'TOPUP_STATUS_CLEARED' }, WAIT),
        callUnary(client, client.ListLedger, { accountId: any(keys).accountId }, WAIT),
      ]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  for (const { accountId } of keys) {
    const account = await instances[0]!.account(accountId);
    expect(account.heldNano).toBe('0');
    expect(BigInt(account.balanceNano)).toBeGreaterThanOrEqual(0n);
  }
  expect(await instances[1]!.metric('ledger_drift_nano')).toBe(0);
  expect(await instances[1]!.metric('dead_letters')).toBe(0);
});
