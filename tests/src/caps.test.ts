import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { EXACT_HOLD_NANO, EXACT_TOKENS, exactCostBody, exactTokensBody } from './support/exact-call';
import { type HttpAnswer, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';

const HEAVY = process.env.TEST_HEAVY !== undefined;
const CALLS = HEAVY ? 1_000 : 200;
const ADMITTED = HEAVY ? 100 : 40;
const FLUSH_INTERVAL_MS = 10;
const MAX_REPEATS = 5;
const RECOVERED_WITHIN_MS = 1_000;
/** In the order of precedence of their refusals. */
const FUNDS = [
  'insufficient_balance',
  'key_monthly_limit',
  'account_daily_limit',
  'key_daily_limit',
] as const;
type SpendLimit = (typeof FUNDS)[number];

let system: System;
let redis: ReturnType<typeof createClient>;

beforeAll(async () => {
  system = await startSystem({ autoRestart: false, instances: { edge: 2, billing: 2 } });
  redis = createClient({ url: system.stack.engines.redisUrl });
  redis.on('error', () => {});
  await redis.connect();
}, 60_000);
beforeEach(awayFromMidnight, 70_000);
afterEach(async () => {
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'operator_loss_nano')).toBe(0);
  expect(await system.metric('billing', 'dead_letters')).toBe(0);
});
afterAll(async () => {
  redis?.destroy();
  await system?.stop();
}, 30_000);

/** Waits until after midnight if it is near, because a new day starts new spend windows. */
async function awayFromMidnight(): Promise<void> {
  const leftMs = 86_400_000 - (Date.now() % 86_400_000);
  if (leftMs < 60_000) await new Promise((resolve) => setTimeout(resolve, leftMs));
}

const usd = (amountNano: bigint) => Number(amountNano) / 1e9;
const outcomeOf = ({ status, json }: HttpAnswer): string =>
  status === 200 ? 'ok' : (json?.error?.code ?? `${status}`);
const isInternal = (answer: HttpAnswer) => outcomeOf(answer) === 'internal_error';

let turn = 0;
/** Makes a call, alternating between the edges. */
function call({ apiKey }: Customer, body: string): Promise<HttpAnswer> {
  const { apiUrls } = system.stack;
  return postJson(`${apiUrls[turn++ % apiUrls.length]}/v1/chat/completions`, body, apiKey);
}

/** Returns how often instances rebuilt lost rate windows. */
async function rebuilds(): Promise<number> {
  const counts = [0, 1].map((index) => system.metric('billing', 'billing_rates_rebuilt_total', index));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

interface Burst {
  /** The final outcome of each call. */
  readonly outcomes: readonly string[];
  /** Number of internal errors before the final outcomes. */
  readonly failed: number;
}

/**
 * Makes all calls concurrently. With `flushed`, Redis is flushed repeatedly while they run; a call that fails because
 * of that is repeated, as clients do.
 */
async function burst(customer: Customer, body: string, flushed: boolean): Promise<Burst> {
  let failed = 0;
  const callWithRetries = async () => {
    let answer = await call(customer, body);
    for (let i = 0; flushed && isInternal(answer) && i < MAX_REPEATS; i++) {
      failed += 1;
      answer = await call(customer, body);
    }
    return outcomeOf(answer);
  };
  const calls = Promise.all(Array.from({ length: CALLS }, callWithRetries));
  if (flushed) await flushUntil(calls);
  return { outcomes: await calls, failed };
}

async function flushUntil(end: Promise<unknown>): Promise<void> {
  const before = await rebuilds();
  let over = false;
  const stop = () => {
    over = true;
  };
  end.then(stop, stop);
  while (!over) {
    await redis.flushAll();
    await new Promise((resolve) => setTimeout(resolve, FLUSH_INTERVAL_MS));
  }
  // One rebuild happens without a flush.
  expect((await rebuilds()) - before).toBeGreaterThan(1);
}

const admitted = (outcomes: readonly string[]) => outcomes.filter((outcome) => outcome === 'ok').length;

/** Provisions a customer whose lowest fund covers `ADMITTED` holds, and whose other funds cover one more. */
async function provision(lowest: SpendLimit | undefined, key: object): Promise<Customer> {
  const room = (fund: SpendLimit) =>
    usd(EXACT_HOLD_NANO * BigInt(lowest === undefined || fund === lowest ? ADMITTED : ADMITTED + 1));
  const customer = await system.provision({
    balanceUsd: room('insufficient_balance'),
    key: { daily_limit: room('key_daily_limit'), monthly_limit: room('key_monthly_limit'), ...key },
  });
  await system.dashboard.call('POST', 'billing/limits', customer.token, {
    daily_limit: room('account_daily_limit'),
  });
  return customer;
}

async function lift(fund: SpendLimit, { id, keyId, token }: Customer): Promise<void> {
  const post = (path: string, body: object) => system.dashboard.call('POST', path, token, body);
  if (fund === 'insufficient_balance') await system.dashboard.topUp(await system.operatorToken(), id, 1);
  if (fund === 'key_monthly_limit') await post(`keys/${keyId}/update`, { monthly_limit: null });
  if (fund === 'account_daily_limit') await post('billing/limits', { daily_limit: null });
  if (fund === 'key_daily_limit') await post(`keys/${keyId}/update`, { daily_limit: null });
}

/** Checks that each of these funds in turn is spent to the last nano by the calls and refuses, until it is lifted. */
async function expectSpent(customer: Customer, funds: readonly SpendLimit[], calls: number): Promise<void> {
  const spentUsd = usd(EXACT_HOLD_NANO * BigInt(calls));
  for (const fund of funds) {
    const answer = await call(customer, exactCostBody);
    expect(outcomeOf(answer)).toBe(fund);
    const { limit, used } = answer.json.error;
    if (fund !== 'insufficient_balance') expect({ limit, used }).toEqual({ limit: spentUsd, used: spentUsd });
    await lift(fund, customer);
  }
}

async function expectCharged(customer: Customer, calls: number): Promise<void> {
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect([...charges.values()]).toEqual(Array(calls).fill(EXACT_HOLD_NANO));
}

describe.each([false, true])('with Redis flushed meanwhile: %s', (flushed) => {
  // Only keys with limits need Redis.
  const limits = flushed ? { rpm_limit: 1_000_000, tpm_limit: 1_000_000_000 } : {};

  test.each<[string, SpendLimit | undefined]>([
    ['all four equal', undefined],
    ...FUNDS.map((fund): [string, SpendLimit] => [`${fund} the lowest`, fund]),
  ])(
    `${CALLS} concurrent calls over two edges and two billing instances spend the funds exactly: %s`,
    async (_kind, lowest) => {
      const customer = await provision(lowest, limits);
      const { outcomes } = await burst(customer, exactCostBody, flushed);
      let passed = admitted(outcomes);
      const refused = new Set(outcomes.filter((outcome) => outcome !== 'ok'));
      expect([...refused]).toEqual([lowest ?? FUNDS[0]]);
      if (flushed) {
        // A failed call's hold was released after other calls had been refused because of it.
        await system.settled(customer);
        while (passed < ADMITTED && outcomeOf(await call(customer, exactCostBody)) === 'ok') passed += 1;
      }
      expect(passed).toBe(ADMITTED);
      await expectCharged(customer, ADMITTED);

      if (lowest === undefined) return expectSpent(customer, FUNDS, ADMITTED);
      await expectSpent(customer, [lowest], ADMITTED);
      expect(outcomeOf(await call(customer, exactCostBody))).toBe('ok');
      await expectCharged(customer, ADMITTED + 1);
      await expectSpent(
        customer,
        FUNDS.filter((fund) => fund !== lowest),
        ADMITTED + 1,
      );
    },
    120_000,
  );
});

describe('rate limits with Redis flushed meanwhile', () => {
  test.each([
    ['rpm_rate_limited', { rpm_limit: ADMITTED }],
    ['tpm_rate_limited', { tpm_limit: ADMITTED * EXACT_TOKENS }],
  ])(
    `%s limits ${CALLS} concurrent calls`,
    async (code, limits) => {
      const customer = await system.provision({ key: limits });
      const startedAtMs = performance.now();
      const { outcomes, failed } = await burst(customer, exactTokensBody, true);
      expect(new Set(outcomes)).toEqual(new Set(['ok', code]));
      expect(admitted(outcomes)).toBeLessThanOrEqual(ADMITTED);
      // Failed calls may stay counted for the minute.
      expect(admitted(outcomes)).toBeGreaterThanOrEqual(ADMITTED - failed);
      expect(performance.now() - startedAtMs).toBeLessThan(60_000);
      await system.settled(customer);
    },
    120_000,
  );

  test(`are restored within ${RECOVERED_WITHIN_MS} ms with their previous usage`, async () => {
    const limit = 1_000;
    const customer = await system.provision({ key: { rpm_limit: limit, tpm_limit: 1_000_000 } });
    let sent = 0;
    for (let round = 1; round <= (HEAVY ? 20 : 5); round++) {
      await redis.flushAll();
      const startedAtMs = performance.now();
      let answer: HttpAnswer;
      do {
        answer = await call(customer, exactTokensBody);
        sent += 1;
      } while (isInternal(answer));
      expect(performance.now() - startedAtMs).toBeLessThan(RECOVERED_WITHIN_MS);
      const remaining = Number(answer.headers['x-ratelimit-remaining-requests']);
      expect(remaining).toBeGreaterThanOrEqual(limit - sent);
      expect(remaining).toBeLessThanOrEqual(limit - round);
    }
    await system.settled(customer);
  }, 60_000);
});
