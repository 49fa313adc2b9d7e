import { randomInt, randomUUIDv7 } from 'node:crypto';
import { type EmbeddedRedisProcess, startEmbeddedRedisProcess } from '@gateway/local-stack';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { refusalOf, reserveRequest, summary, TestBilling, usageEvent, WAIT } from '../testing/test-billing';

const HEAVY = process.env.TEST_HEAVY !== undefined;
const HOLD = 7_919n;

let database: TestDatabase;
/** Not shared with other tests, because it is flushed. */
let server: EmbeddedRedisProcess;
let redis: ReturnType<typeof createClient>;
let instances: TestBilling[];
let pool: Pool;
beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), startEmbeddedRedisProcess()]);
  redis = createClient({ url: server.url });
  redis.on('error', () => {});
  await redis.connect();
  const env = { REDIS_URL: server.url };
  instances = [await TestBilling.start(database.url, env), await TestBilling.start(database.url, env)];
  for (const one of instances) await until(async () => (await one.ready()) === 'ok');
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await Promise.all(instances?.map((one) => one.stop()) ?? []);
  redis?.destroy();
  await server?.stop();
  await database?.drop();
}, 60_000);

/** A key with four caps of 100 holds plus a different remainder; each round another cap is the lowest. */
async function cappedKey(round: number) {
  const cap = (i: number) => String(100n * HOLD + BigInt(((i + round) % 4) * 13));
  const key = await instances[0]!.createFundedKey(BigInt(cap(0)), {
    dailyLimitNano: cap(1),
    monthlyLimitNano: cap(2),
    rpmLimit: '1000000',
    tpmLimit: '1000000000',
  });
  const { asDashboard: client } = instances[1]!;
  await callUnary(client, client.UpdateAccountLimits, { id: key.accountId, dailyLimitNano: cap(3) }, WAIT);
  return { ...key, leastNano: 100n * HOLD };
}

const CODES = ['insufficient_balance', 'key_daily_limit', 'key_monthly_limit', 'account_daily_limit'];

/** Repeats calls that failed with internal_error, which a slow machine or a flushed Redis may cause. */
async function reserveWithRetries(on: TestBilling, calls: ReturnType<typeof reserveRequest>[]) {
  const replies = await on.reserve(...calls);
  for (let tries = 0; tries < 5; tries++) {
    const open = calls.filter((_, i) => replies[i]!.refusal?.code === 'internal_error');
    if (open.length === 0) break;
    const again = await on.reserve(...open);
    for (const [i, call] of open.entries()) replies[calls.indexOf(call)] = again[i]!;
  }
  return replies;
}

/** Returns the settled cost of the account's calls in each of its spend windows. */
async function spent(key: { accountId: string; keyId: string }): Promise<bigint[]> {
  const { rows } = await pool.query<{ settled_nano: bigint; held_nano: bigint }>(
    'SELECT settled_nano, held_nano FROM billing.spend_windows WHERE account_id = $1',
    [key.accountId],
  );
  expect(rows.every((row) => row.held_nano === 0n)).toBe(true);
  return rows.map((row) => row.settled_nano);
}

describe.each([false, true])(
  'balance and three caps bind at once (Redis flushed meanwhile: %s)',
  (flushed) => {
    test.each(['all of equal cost', 'lowered to funds, of random cost'])(
      '1,000 calls over two instances, %s: no cap is overspent, no call is wrongly refused',
      async (kind) => {
        for (let round = 0; round < (HEAVY ? 20 : 2); round++) {
          const key = await cappedKey(round);
          const alike = kind === 'all of equal cost';
          const calls = Array.from({ length: 1_000 }, () =>
            alike
              ? reserveRequest(key, HOLD)
              : reserveRequest(key, BigInt(randomInt(1, 20_000)), { floorNano: String(randomInt(1)) }),
          );
          // Batches of 25; every fourth settles while others reserve.
          const batches = Array.from({ length: 40 }, (_, i) => calls.slice(i * 25, i * 25 + 25));
          let admitted = 0;
          const send = async (batch: typeof calls, i: number) => {
            const replies = await reserveWithRetries(instances[i % 2]!, batch);
            const granted = batch.filter((_, at) => replies[at]!.grant);
            admitted += granted.length;
            for (const reply of replies) if (!reply.grant) expect(CODES).toContain(refusalOf(reply).code);
            if (i % 4 !== 0) return granted;
            await instances[(i + 1) % 2]!.deliver(...granted.map((call) => usageEvent(call, cost(call))));
            return [];
          };
          const cost = (call: (typeof calls)[0]) => BigInt(randomInt(Number(call.boundNano) + 1));
          const flush = async () => {
            for (let i = 0; flushed && i < 5; i++) {
              await redis.flushAll();
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
            return [];
          };
          const open = (await Promise.all([...batches.map(send), flush()])).flat();
          if (alike) expect(admitted).toBeGreaterThanOrEqual(Number(key.leastNano / HOLD));
          // The worst case: each call costs more than its hold.
          await instances[0]!.deliver(...open.map((call) => usageEvent(call, 10n ** 9n)));
          const [first, ...others] = await spent(key);
          for (const settledNano of others) expect(settledNano).toBe(first);
          expect(first).toBeLessThanOrEqual(key.leastNano);
          const { balanceNano, heldNano } = await instances[0]!.account(key.accountId);
          expect(heldNano).toBe('0');
          expect(BigInt(balanceNano)).toBeGreaterThanOrEqual(0n);
          const { rows } = await pool.query<{ least: bigint }>(
            `SELECT least(k.daily_limit_nano, k.monthly_limit_nano, a.daily_limit_nano)::bigint AS least
           FROM billing.keys k JOIN billing.accounts a ON a.id = k.account_id WHERE k.id = $1`,
            [key.keyId],
          );
          expect(first).toBeLessThanOrEqual(rows[0]!.least);
          expect(await instances[round % 2]!.metric('ledger_drift_nano')).toBe(0);
        }
      },
      900_000,
    );
  },
);

describe('a key with an empty balance and an exhausted daily cap', () => {
  test('is refused as insufficient_balance, which outlasts the cap', async () => {
    const key = await instances[0]!.createFundedKey(100n, { dailyLimitNano: '100', monthlyLimitNano: '100' });
    const call = reserveRequest(key, 100n);
    await instances[0]!.reserve(call);
    await instances[0]!.deliver(usageEvent(call, 100n));
    expect(summary((await instances[1]!.reserve(reserveRequest(key, 1n)))[0]!)).toBe('insufficient_balance');
  });
});

test('the next call can spend a cleared top-up; no call can spend a pending one', async () => {
  const key = await instances[0]!.createFundedKey(0n);
  for (let round = 0; round < (HEAVY ? 10_000 : 100); round++) {
    const [payer, caller] = round % 2 === 0 ? instances : instances.toReversed();
    const { asDashboard: client } = payer!;
    const topup = { id: `top_${randomUUIDv7()}`, accountId: key.accountId, amountNano: '10' };
    const call = async () => summary((await caller!.reserve(reserveRequest(key, 10n)))[0]!);
    await callUnary(client, client.CreateTopup, { ...topup, status: 'TOPUP_STATUS_PENDING' }, WAIT);
    expect(await call()).toBe('insufficient_balance');
    await callUnary(client, client.ClearTopup, { id: topup.id }, WAIT);
    expect(await call()).toBe('granted 10');
  }
}, 900_000);

test('a grant reports the per-request cap, for free and repeated calls too', async () => {
  const capped = await instances[0]!.createFundedKey(1_000n, { requestCostLimitNano: '300' });
  const plain = await instances[0]!.createFundedKey(1_000n);
  const call = reserveRequest(capped, 100n);
  const asked = [call, reserveRequest(capped, 0n, { free: true }), reserveRequest(plain, 100n)];
  const caps = async (...requests: typeof asked) =>
    (await instances[0]!.reserve(...requests)).map(({ grant }) => grant?.requestCostLimitNano);
  expect(await caps(...asked)).toEqual(['300', '300', undefined]);
  expect(await caps({ ...call, isNew: false })).toEqual(['300']);
});

test('a refused call awaits settlement only if holds of its own key could free enough funds', async () => {
  const [one] = instances;
  const key = await one!.createFundedKey(1_000_000n, { dailyLimitNano: '3' });
  const made = await callUnary(
    one!.asDashboard,
    one!.asDashboard.CreateKey,
    { accountId: key.accountId, name: 'other' },
    WAIT,
  );
  const other = { ...key, keyId: made.key!.id };
  const ask = async (of: typeof key, nano: bigint) => {
    const request = reserveRequest(of, nano);
    const [reply] = await one!.reserve(request);
    return { request, granted: Boolean(reply!.grant), awaits: reply!.awaitsSettlement };
  };
  const { request } = await ask(key, 2n);
  await one!.deliver(usageEvent(request, 2n));
  expect(await ask(other, 500n)).toMatchObject({ granted: true });

  expect(await ask(key, 2n)).toMatchObject({ granted: false, awaits: false });
  expect(await ask(key, 1n)).toMatchObject({ granted: true });
  expect(await ask(key, 1n)).toMatchObject({ granted: false, awaits: true });
  expect(await ask(key, 2n)).toMatchObject({ granted: false, awaits: false });
});

test('each call of a batch keeps its own fields', async () => {
  const [one] = instances;
  const [a, b] = [await one!.createFundedKey(1_000n), await one!.createFundedKey(1_000n)];
  const requests = [
    { ...reserveRequest(a, 5n), model: 'sim/chat' },
    { ...reserveRequest(b, 7n), model: 'sim/video', makesTask: true, ownerId: 'another' },
    { ...reserveRequest(a, 11n), model: 'sim/image' },
    { ...reserveRequest(a, 13n), model: 'sim/image' },
  ];
  for (const { grant } of await one!.reserve(...requests)) expect(grant).toBeTruthy();
  const { rows } = await pool.query(
    `SELECT account_id, key_id, model, makes_task, owner_id, amount_nano FROM billing.holds
     WHERE request_id = ANY($1) ORDER BY amount_nano`,
    [requests.map(({ requestId }) => requestId)],
  );
  expect(rows).toEqual(
    requests.map(({ accountId, keyId, model, makesTask = false, ownerId, boundNano }) => ({
      account_id: accountId,
      key_id: keyId,
      model,
      makes_task: makesTask,
      owner_id: ownerId,
      amount_nano: BigInt(`${boundNano}`),
    })),
  );
  expect((await one!.account(a.accountId)).heldNano).toBe('29');
});
