import { startEmbeddedRedisProcess } from '@gateway/local-stack';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createTestDatabase, TcpProxy, type TestDatabase, until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { forgetFreeCalls } from '../reserve/store/free-calls';
import { refusalOf, reserveRequest, summary, TestBilling, usageEvent } from '../testing/test-billing';
import { connectTestRedis, createTestRedis, forgetRates, type TestRedis } from '../testing/test-redis';
import type { RedisConnection } from './redis/redis-connection';

let database: TestDatabase;
let server: TestRedis;
let redis: RedisConnection;
let proxy: TcpProxy;
let pool: Pool;
/** Reaches Redis through the proxy; `direct` does not. */
let billing: TestBilling;
let direct: TestBilling;
beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), createTestRedis()]);
  redis = await connectTestRedis(server.url);
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
  const url = new URL(server.url);
  proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
  direct = await TestBilling.start(database.url, { REDIS_URL: server.url });
  billing = await TestBilling.start(database.url, { REDIS_URL: `redis://127.0.0.1:${proxy.port}` });
  await ready();
}, 60_000);
afterEach(async () => {
  proxy.pass();
  await ready();
});
afterAll(async () => {
  expect(await direct.metric('ledger_drift_nano')).toBe(0);
  await redis?.stop();
  await pool?.end();
  await Promise.all([billing?.stop(), direct?.stop()]);
  await proxy?.stop();
  await Promise.all([database?.drop(), server?.stop()]);
}, 60_000);

const redisUp = async (on: TestBilling) => (await on.metric('billing_redis_up')) === 1;
const ready = () => until(async () => (await redisUp(billing)) && (await redisUp(direct)));

type Key = { accountId: string; keyId: string };
const call = (key: Key, tokens = 10n, floor = tokens) =>
  reserveRequest(key, 1n, { boundTokens: String(tokens), floorTokens: String(floor) });
const summaries = async (on: TestBilling, ...calls: ReturnType<typeof call>[]) =>
  (await on.reserve(...calls)).map(summary);

describe('requests per minute', () => {
  test('are counted across concurrent instances, and grants report the remaining requests', async () => {
    const key = await direct.createFundedKey(1_000n, { rpmLimit: '10' });
    const batch = () => Array.from({ length: 12 }, () => call(key));
    const replies = (await Promise.all([direct.reserve(...batch()), billing.reserve(...batch())])).flat();
    const granted = replies.flatMap((reply) => (reply.grant ? [reply.grant] : []));
    expect(granted).toHaveLength(10);
    expect(new Set(granted.map(({ requests }) => requests?.remaining)).size).toBe(10);
    expect(granted[0]!.requests).toMatchObject({ limit: '10', resetSeconds: 60 });
    expect(granted[0]!.tokens).toBeUndefined();
    const refused = replies.filter((reply) => !reply.grant).map(refusalOf);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['rpm_rate_limited']));
    for (const { retryAfterSeconds } of refused) expect(retryAfterSeconds).toBeGreaterThan(55);
    for (const { retryAfterSeconds } of refused) expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    expect((await direct.account(key.accountId)).heldNano).toBe('10');
  });

  test('are given back when funds are insufficient, which is reported before the rate limit', async () => {
    const key = await direct.createFundedKey(2n, { rpmLimit: '2' });
    expect(await summaries(direct, call(key))).toEqual(['granted 1']);
    const big = { ...call(key), boundNano: '5', floorNano: '5' };
    expect(await summaries(direct, big, big, big)).toEqual(Array(3).fill('insufficient_balance'));
    expect(await summaries(direct, call(key))).toEqual(['granted 1']);
    expect(await summaries(direct, call(key))).toEqual(['insufficient_balance']);
  });

  test('are not used up by calls of the same batch that funds refuse', async () => {
    const key = await direct.createFundedKey(3n, { rpmLimit: '3', tpmLimit: '30' });
    expect(await summaries(direct, call(key))).toEqual(['granted 1']);
    const big = { ...call(key), boundNano: '5', floorNano: '5' };
    expect(await summaries(direct, big, call(key), big, big, call(key), call(key))).toEqual([
      ...['insufficient_balance', 'granted 1', 'insufficient_balance', 'insufficient_balance'],
      // The third and the fourth request of a limit of three per minute.
      ...['granted 1', 'insufficient_balance'],
    ]);
  });

  test('count free calls as well', async () => {
    const key = await direct.createFundedKey(0n, { rpmLimit: '2', tpmLimit: '1' });
    const free = () => ({ ...call(key), free: true });
    expect(await summaries(direct, free(), free(), free())).toEqual([
      'granted 0',
      'granted 0',
      'rpm_rate_limited',
    ]);
  });

  test('a limit of zero refuses every call and says not to retry', async () => {
    const key = await direct.createFundedKey(1_000n, { rpmLimit: '0' });
    const [reply] = await direct.reserve(call(key));
    expect(refusalOf(reply!)).toMatchObject({
      code: 'rpm_rate_limited',
      retryAfterSeconds: undefined,
      shouldRetry: false,
    });
  });
});

describe('tokens per minute', () => {
  test('admit a call whose prompt fits and reserve its expected output', async () => {
    const key = await direct.createFundedKey(1_000n, { tpmLimit: '100' });
    const replies = await direct.reserve(
      call(key, 60n),
      call(key, 100n, 41n),
      call(key, 1_000n, 40n),
      call(key, 1n),
    );
    const taken = (tokens: string) => ({
      generation: expect.any(String),
      bucket: expect.any(String),
      tokens,
    });
    expect(replies[0]!.grant).toMatchObject({
      tokens: { limit: '100', remaining: '40' },
      rateReservation: taken('60'),
    });
    expect(refusalOf(replies[1]!).code).toBe('tpm_rate_limited');
    // The whole bound is granted, so the caller does not lower max_tokens.
    expect(replies[2]!.grant).toMatchObject({
      grantedTokens: '1000',
      tokens: { limit: '100', remaining: '0' },
      rateReservation: taken('1000'),
    });
    expect(refusalOf(replies[3]!).code).toBe('tpm_rate_limited');
  });

  test('count reports of a call in flight to any instance; its settlement corrects them', async () => {
    const key = await direct.createFundedKey(1_000n, { tpmLimit: '100' });
    const first = call(key, 20n);
    const [granted] = await direct.reserve(first);
    const { rateReservation } = granted!.grant!;
    const { requestId } = first;
    const { keyId } = key;
    direct.report({ requestId, keyId, reservation: rateReservation!, usedTokens: '90', sequence: 1 });
    const remainingBecomes = (remaining: string) =>
      until(async () => {
        const [reply] = await direct.reserve({ ...call(key), free: true });
        return reply!.grant?.tokens?.remaining === remaining;
      });
    await remainingBecomes('10');
    billing.report({ requestId, keyId, reservation: rateReservation!, usedTokens: '200', sequence: 2 });
    await remainingBecomes('0');
    const event = usageEvent(first, 1n, { streamed: true, tokens: { output: '70' } });
    await direct.deliver(event);
    await remainingBecomes('30');
  });

  test('are not reserved for a key without a TPM limit', async () => {
    const key = await direct.createFundedKey(1_000n, { rpmLimit: '100' });
    const [granted] = await direct.reserve(call(key, 20n));
    expect(granted!.grant!.rateReservation).toBeNull();
  });

  test('are corrected to the tokens used, whether fewer or more', async () => {
    const key = await direct.createFundedKey(1_000n, { tpmLimit: '100' });
    const first = call(key, 100n);
    expect(await summaries(direct, first, call(key))).toEqual(['granted 1', 'tpm_rate_limited']);
    await direct.deliver(usageEvent(first, 1n, { tokens: { input: '3', cacheRead: '4', output: '13' } }));
    const second = call(key, 80n);
    await until(async () => (await summaries(direct, second))[0] === 'granted 1');
    await direct.deliver(usageEvent(second, 1n, { tokens: { output: '90' } }));
    await until(async () => {
      const [reply] = await direct.reserve(call(key, 1n));
      return reply!.refusal?.code === 'tpm_rate_limited';
    });
  });

  test('of a released call are given back, but not its request', async () => {
    const key = await direct.createFundedKey(1_000n, { tpmLimit: '100', rpmLimit: '2' });
    const first = call(key, 100n);
    expect(await summaries(direct, first)).toEqual(['granted 1']);
    await direct.deliver(usageEvent(first, 0n, { outcome: 'USAGE_OUTCOME_RELEASED', tokens: {} }));
    await until(async () => (await summaries(direct, call(key, 100n)))[0] === 'granted 1');
    expect(await summaries(direct, call(key, 1n))).toEqual(['rpm_rate_limited']);
  });
});

describe('a refusal reports the remaining limits of the key', () => {
  const limits = { rpmLimit: '2', tpmLimit: '100' };
  const figures = (requests: bigint, requestsReset: unknown, tokens: bigint, tokensReset: unknown) => ({
    requests: { limit: 2n, remaining: requests, resetSeconds: requestsReset },
    tokens: { limit: 100n, remaining: tokens, resetSeconds: tokensReset },
  });
  const refusal = async (...calls: ReturnType<typeof call>[]) => {
    const { code, rates } = refusalOf((await direct.reserve(...calls)).at(-1)!);
    return [code, rates];
  };

  test('when requests per minute are exhausted', async () => {
    const key = await direct.createFundedKey(1_000n, limits);
    expect(await refusal(call(key, 10n), call(key, 20n), call(key, 30n))).toEqual([
      'rpm_rate_limited',
      figures(0n, 60, 70n, 60),
    ]);
    const never = await direct.createFundedKey(1_000n, { rpmLimit: '0' });
    expect(await refusal(call(never))).toEqual([
      'rpm_rate_limited',
      { requests: { limit: 0n, remaining: 0n, resetSeconds: 0 } },
    ]);
  });

  test('when tokens per minute are exhausted', async () => {
    const key = await direct.createFundedKey(1_000n, limits);
    expect(await refusal(call(key, 90n), call(key, 20n))).toEqual([
      'tpm_rate_limited',
      figures(1n, 60, 10n, 60),
    ]);
    const untouched = await direct.createFundedKey(1_000n, limits);
    expect(await refusal(call(untouched, 126n))).toEqual(['tpm_rate_limited', figures(2n, 0, 100n, 0)]);
  });

  test('when funds are insufficient', async () => {
    const key = await direct.createFundedKey(2n, limits);
    const dear = (tokens: bigint) => ({ ...call(key, tokens), boundNano: '5', floorNano: '5' });
    expect(await summaries(direct, call(key, 90n))).toEqual(['granted 1']);
    const left = ['insufficient_balance', figures(1n, expect.any(Number), 10n, expect.any(Number))];
    // The first call's rates are taken and given back; the second's do not fit either.
    expect(await refusal(dear(5n))).toEqual(left);
    expect(await refusal(dear(20n))).toEqual(left);
  });

  test('when funds are insufficient and the window is otherwise empty', async () => {
    const key = await direct.createFundedKey(1n, limits);
    const dear = () => ({ ...call(key), boundNano: '5', floorNano: '5' });
    // Reserves nothing, but makes the instance cache that the key is limited.
    const whole = figures(2n, 0, 100n, 0);
    expect(await refusal(call(key, 126n))).toEqual(['tpm_rate_limited', whole]);
    for (let i = 0; i < 2; i++) {
      expect(await refusal(dear(), dear())).toEqual(['insufficient_balance', whole]);
    }
    expect((await refusal(call(key, 126n)))[1]).toEqual(whole);
  });

  test('but not when the key is invalid', async () => {
    const key = await direct.createFundedKey(1_000n, limits);
    await direct.reserve(call(key));
    await pool.query("UPDATE billing.keys SET status = 'disabled' WHERE id = $1", [key.keyId]);
    expect(await refusal(call(key))).toEqual(['invalid_api_key', undefined]);
  });
});

test('a repeated call gets its existing hold and tokens, and counts as one request', async () => {
  const key = await direct.createFundedKey(1_000n, { rpmLimit: '2', tpmLimit: '100' });
  const first = call(key, 60n);
  const [once] = await direct.reserve(first);
  const again = { ...first, isNew: false };
  const replies = await Promise.all([billing.reserve(again, again), direct.reserve(again)]);
  for (const reply of replies.flat()) {
    expect(reply.grant).toMatchObject({ holdNano: once!.grant!.holdNano, grantedTokens: '60' });
  }
  expect(await summaries(direct, call(key, 40n), call(key, 1n))).toEqual(['granted 1', 'rpm_rate_limited']);
  expect(await summaries(direct, again)).toEqual(['granted 1']);
});

test('grants only one of several new calls with the same request id, across instances', async () => {
  const key = await direct.createFundedKey(1_000n, { rpmLimit: '6' });
  const one = call(key, 60n);
  const both = async () => {
    const replies = await Promise.all([summaries(direct, one, one), summaries(billing, one)]);
    return replies.flat().sort();
  };
  expect(await both()).toEqual(['granted 1', 'invalid_request', 'invalid_request']);
  expect(await both()).toEqual(['invalid_request', 'invalid_request', 'invalid_request']);
  const { rows } = await pool.query('SELECT state FROM billing.holds WHERE request_id = $1', [one.requestId]);
  expect(rows).toEqual([{ state: 'open' }]);
  // Refused calls use no requests of the limit.
  const more = Array.from({ length: 6 }, () => call(key));
  expect(await summaries(direct, ...more)).toEqual([...Array(5).fill('granted 1'), 'rpm_rate_limited']);
});

describe('changing a rate limit', () => {
  const setLimit = (key: Key, rpm: number | null) =>
    pool.query('UPDATE billing.keys SET rpm_limit = $2 WHERE id = $1', [key.keyId, rpm]);

  test('takes effect with the next call on every instance', async () => {
    const key = await direct.createFundedKey(1_000n);
    for (const on of [direct, billing]) expect(await summaries(on, call(key))).toEqual(['granted 1']);
    await setLimit(key, 1);
    expect(await summaries(billing, call(key))).toEqual(['granted 1']);
    expect(await summaries(direct, call(key))).toEqual(['rpm_rate_limited']);
    await setLimit(key, 2);
    expect(await summaries(direct, call(key))).toEqual(['granted 1']);
    await setLimit(key, null);
    for (const on of [direct, billing]) expect(await summaries(on, call(key))).toEqual(['granted 1']);
    await setLimit(key, 2);
    expect(await summaries(billing, call(key))).toEqual(['rpm_rate_limited']);
  });
});

describe('rate windows that Redis lost', () => {
  test('are rebuilt from the last minute of holds, with the tokens used', async () => {
    const key = await direct.createFundedKey(1_000n, { rpmLimit: '4', tpmLimit: '100' });
    const calls = [call(key, 30n), call(key, 30n), call(key, 30n)];
    expect(await summaries(direct, ...calls)).toEqual(Array(3).fill('granted 1'));
    await direct.deliver(usageEvent(calls[0]!, 1n, { tokens: { output: '5' } }));
    await forgetRates(redis, key.keyId);
    const replies = await Promise.all([
      direct.reserve(call(key, 40n, 1n)),
      billing.reserve(call(key, 40n, 1n)),
    ]);
    const granted = replies.flat().filter((reply) => reply.grant);
    expect(granted).toHaveLength(1);
    expect(granted[0]!.grant).toMatchObject({ requests: { remaining: '0' }, tokens: { remaining: '0' } });
  });

  test('are rebuilt from free calls too, which have no hold', async () => {
    const key = await direct.createFundedKey(1_000n, { rpmLimit: '4' });
    const free = () => ({ ...call(key), free: true });
    expect(await summaries(direct, free(), call(key), free())).toEqual([
      'granted 0',
      'granted 1',
      'granted 0',
    ]);
    await forgetRates(redis, key.keyId);
    expect(await summaries(billing, free(), free())).toEqual(['granted 0', 'rpm_rate_limited']);
    await forgetRates(redis, key.keyId);
    expect(await summaries(direct, call(key))).toEqual(['rpm_rate_limited']);
  });

  test('do not need free calls older than five minutes, which are deleted', async () => {
    await pool.query(
      `INSERT INTO billing.free_calls (key_id, created_at)
       VALUES ('old', now() - interval '6 minutes'), ('new', now())`,
    );
    await forgetFreeCalls(pool);
    const { rows } = await pool.query(`SELECT key_id FROM billing.free_calls WHERE key_id IN ('old', 'new')`);
    expect(rows).toEqual([{ key_id: 'new' }]);
  });

  test('admit no call above the limit even when they are lost repeatedly under concurrent load', async () => {
    for (let round = 0; round < 5; round++) {
      const key = await direct.createFundedKey(1_000n, { rpmLimit: '40' });
      const send = async (on: TestBilling) => {
        const replies = [];
        for (let i = 0; i < 8; i++)
          replies.push(...(await on.reserve(...Array.from({ length: 8 }, () => call(key)))));
        return replies;
      };
      const lose = async () => {
        for (let i = 0; i < 20; i++) {
          await forgetRates(redis, key.keyId);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        return [];
      };
      const replies = (await Promise.all([send(direct), send(billing), lose()])).flat();
      const granted = replies.filter((reply) => reply.grant);
      const codes = new Set(replies.filter((reply) => !reply.grant).map((reply) => reply.refusal!.code));
      expect(granted.length).toBeLessThanOrEqual(40);
      expect((await direct.account(key.accountId)).heldNano).toBe(String(granted.length));
      // A call that meets repeated rebuilds may be refused, but is never admitted uncounted.
      for (const code of codes) expect(['rpm_rate_limited', 'internal_error']).toContain(code);
      while ((await summaries(direct, call(key)))[0] === 'granted 1') granted.push(replies[0]!);
      expect(granted).toHaveLength(40);
    }
  }, 30_000);
});

/** Below the 3 s after which an unresponsive server is given up; generous, because the machine may be busy. */
const BEFORE_TIMEOUT_MS = 2_500;

test('after a reconnect to Redis, rate windows are rebuilt quickly and the limit still holds', async () => {
  const own = await startEmbeddedRedisProcess();
  const port = await TcpProxy.start({ host: '127.0.0.1', port: Number(new URL(own.url).port) });
  const served = await TestBilling.start(database.url, { REDIS_URL: `redis://127.0.0.1:${port.port}` });
  try {
    await until(async () => (await served.ready()) === 'ok');
    const key = await served.createFundedKey(1_000n, { rpmLimit: '2' });
    expect(await summaries(served, call(key))).toEqual(['granted 1']);
    port.cut();
    const startedAtMs = performance.now();
    const first = call(key);
    await until(async () => (await summaries(served, first))[0] === 'granted 1');
    expect(performance.now() - startedAtMs).toBeLessThan(BEFORE_TIMEOUT_MS);
    expect(await summaries(served, call(key))).toEqual(['rpm_rate_limited']);
  } finally {
    await served.stop();
    await port.stop();
    await own.stop();
  }
});

describe('while Redis is unreachable', () => {
  test('keys with rate limits are refused quickly, other keys keep working', async () => {
    const limited = await direct.createFundedKey(1_000n, { rpmLimit: '5' });
    const other = await direct.createFundedKey(1_000n);
    expect(await summaries(billing, call(limited))).toEqual(['granted 1']);
    const both = async () => {
      const startedAtMs = performance.now();
      const replies = await Promise.all([summaries(billing, call(limited)), summaries(billing, call(other))]);
      return { replies: replies.flat(), tookMs: performance.now() - startedAtMs };
    };
    proxy.stall();
    const stalled = await both();
    expect(stalled.replies).toEqual(['internal_error', 'granted 1']);
    expect(stalled.tookMs).toBeLessThan(BEFORE_TIMEOUT_MS);
    const tookMs: number[] = [];
    for (let i = 0; i < 5; i++) {
      const known = await both();
      expect(known.replies).toEqual(['internal_error', 'granted 1']);
      tookMs.push(known.tookMs);
    }
    // An instance that waits for Redis would be slow every time.
    expect(Math.min(...tookMs)).toBeLessThan(300);
    proxy.cut();
    expect((await both()).replies).toEqual(['internal_error', 'granted 1']);
    // Otherwise all instances become unready together, also for keys without rate limits.
    expect(await billing.ready()).toBe('ok');
    expect((await direct.account(limited.accountId)).heldNano).toBe('1');
  });

  test('an empty balance is still reported as insufficient_balance', async () => {
    const key = await direct.createFundedKey(0n, { rpmLimit: '5' });
    await summaries(direct, call(key));
    proxy.stall();
    expect(await summaries(billing, call(key))).toEqual(['insufficient_balance']);
  });
});
