import { randomUUIDv7 } from 'node:crypto';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ensurePartitions } from '../store/partitions';
import { setClock } from '../testing/set-clock';
import { refusalOf, reserveRequest, summary, TestBilling, usageEvent, WAIT } from '../testing/test-billing';
import { uuidFloor } from './rules/request-id';

let database: TestDatabase;
let billing: TestBilling;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
}, 60_000);
afterAll(async () => {
  expect(await billing.metric('ledger_drift_nano')).toBe(0);
  await pool?.end();
  await billing?.stop();
  await database?.drop();
}, 60_000);

const refusal = async (key: { accountId: string; keyId: string }, nano: bigint) => {
  const [reply] = await billing.reserve(reserveRequest(key, nano));
  if (reply!.grant) return 'granted';
  const { code, cap } = refusalOf(reply!);
  return `${code} ${cap?.usedNano}/${cap?.limitNano} until ${new Date(cap?.resetsAtMs ?? 0).toISOString()}`;
};

async function cappedKey(code: string, limitNano: bigint) {
  const limit = String(limitNano);
  const key = await billing.createFundedKey(10_000n, {
    ...(code === 'key_daily_limit' && { dailyLimitNano: limit }),
    ...(code === 'key_monthly_limit' && { monthlyLimitNano: limit }),
  });
  if (code === 'account_daily_limit') {
    const { asDashboard: client } = billing;
    await callUnary(client, client.UpdateAccountLimits, { id: key.accountId, dailyLimitNano: limit }, WAIT);
  }
  return key;
}

describe('spend windows begin and end at 00:00 UTC', () => {
  test('the daily window of a key', async () => {
    const key = await billing.createFundedKey(10_000n, { dailyLimitNano: '100' });
    await setClock(pool, '2028-02-28 23:59:59.999Z');
    expect(await refusal(key, 100n)).toBe('granted');
    expect(await refusal(key, 1n)).toBe('key_daily_limit 100/100 until 2028-02-29T00:00:00.000Z');
    await setClock(pool, '2028-02-29 00:00:00Z');
    expect(await refusal(key, 100n)).toBe('granted');
    expect(await refusal(key, 1n)).toBe('key_daily_limit 100/100 until 2028-03-01T00:00:00.000Z');
  });

  test('the monthly window of a key', async () => {
    const key = await billing.createFundedKey(10_000n, { monthlyLimitNano: '100' });
    await setClock(pool, '2026-12-01 00:00:00Z');
    expect(await refusal(key, 60n)).toBe('granted');
    await setClock(pool, '2026-12-31 23:59:59.999Z');
    expect(await refusal(key, 41n)).toBe('key_monthly_limit 60/100 until 2027-01-01T00:00:00.000Z');
    await setClock(pool, '2027-01-01 00:00:00Z');
    expect(await refusal(key, 100n)).toBe('granted');
  });

  test.each([
    ['2027-02-28 23:59:59.999Z', '2027-03-01'],
    ['2028-02-28 23:59:59.999Z', '2028-03-01'],
    ['2028-02-29 00:00:00Z', '2028-03-01'],
    ['2100-02-28 12:00:00Z', '2100-03-01'],
    ['2026-04-30 23:59:59.999Z', '2026-05-01'],
    ['2026-12-31 00:00:00Z', '2027-01-01'],
    ['2027-01-31 23:59:59.999Z', '2027-02-01'],
    // Midnight in another time zone does not end the window.
    ['2027-03-01 00:30:00+02', '2027-03-01'],
  ])('the monthly window at %s', async (at, ends) => {
    const key = await billing.createFundedKey(10_000n, { monthlyLimitNano: '100' });
    await setClock(pool, at);
    expect(await refusal(key, 100n)).toBe('granted');
    expect(await refusal(key, 1n)).toBe(`key_monthly_limit 100/100 until ${ends}T00:00:00.000Z`);
    await setClock(pool, `${ends} 00:00:00Z`);
    expect(await refusal(key, 100n)).toBe('granted');
  });

  test('no window is overspent while the clock steps back and forth by an hour', async () => {
    const key = await billing.createFundedKey(100_000n, { dailyLimitNano: '100', monthlyLimitNano: '150' });
    const granted = new Map<string, number>();
    for (const at of ['31 23:30', '01 00:30', '31 23:30', '01 00:10', '31 22:40', '01 01:00']) {
      const month = at.startsWith('31') ? '2027-05' : '2027-06';
      await setClock(pool, `${month}-${at}:00Z`);
      for (let i = 0; i < 5; i++) {
        if ((await refusal(key, 30n)) === 'granted') granted.set(month, (granted.get(month) ?? 0) + 30);
      }
    }
    expect(Object.fromEntries(granted)).toEqual({ '2027-05': 90, '2027-06': 90 });
  });

  test('the daily window of all keys of an account', async () => {
    const key = await billing.createFundedKey(10_000n);
    await pool.query('UPDATE billing.accounts SET daily_limit_nano = 100 WHERE id = $1', [key.accountId]);
    await setClock(pool, '2027-06-30 12:00:00Z');
    expect(await refusal(key, 100n)).toBe('granted');
    expect(await refusal(key, 1n)).toBe('account_daily_limit 100/100 until 2027-07-01T00:00:00.000Z');
    // A clock that is set back counts in the window of the day before.
    await setClock(pool, '2027-06-29 23:30:00Z');
    expect(await refusal(key, 100n)).toBe('granted');
  });

  describe.each([
    ['midnight', '2027-06-15', '2027-06-16', '2027-07-01'],
    ["a month's end", '2027-06-30', '2027-07-01', '2027-07-01'],
    ["a year's end", '2026-12-31', '2027-01-01', '2027-01-01'],
    ['the midnight before a leap day', '2028-02-28', '2028-02-29', '2028-03-01'],
    ["a leap day's end", '2028-02-29', '2028-03-01', '2028-03-01'],
    ['the end of a February without a leap day', '2027-02-28', '2027-03-01', '2027-03-01'],
  ])('a call that ends after %s counts in the window of its admission', (_when, day, nextDay, nextMonth) => {
    test.each([
      ['key_daily_limit', nextDay],
      ['key_monthly_limit', nextMonth],
      ['account_daily_limit', nextDay],
    ])('for %s', async (code, ends) => {
      const key = await cappedKey(code, 100n);
      await setClock(pool, `${day} 23:59:59.999Z`);
      const call = reserveRequest(key, 80n);
      expect(summary((await billing.reserve(call))[0]!)).toBe('granted 80');
      expect(await refusal(key, 21n)).toBe(`${code} 80/100 until ${ends}T00:00:00.000Z`);

      await setClock(pool, `${nextDay} 00:00:00Z`);
      const goesOn = ends !== nextDay;
      const held = `${code} 80/100 until ${ends}T00:00:00.000Z`;
      expect(await refusal(key, 40n)).toBe(goesOn ? held : 'granted');
      await billing.deliver(usageEvent(call, 50n));
      const settled = `${code} 50/100 until ${ends}T00:00:00.000Z`;
      expect(await refusal(key, 60n)).toBe(goesOn ? settled : 'granted');

      await setClock(pool, `${day} 23:59:59.999Z`);
      expect(await refusal(key, 51n)).toBe(settled);
      expect(await refusal(key, 50n)).toBe('granted');
    });
  });
});

describe('partitions', () => {
  const partitionOf = async (requestId: string) => {
    const { rows } = await pool.query(
      'SELECT tableoid::regclass::text AS name FROM billing.holds WHERE request_id = $1',
      [requestId],
    );
    return rows[0]?.name as string;
  };
  const month = (at: Date) => at.toISOString().slice(0, 7).replace('-', '_');

  test('of this month and the next exist from the start; new request ids fall into this month', async () => {
    await setClock(pool, '2027-07-01 00:00:00Z');
    const key = await billing.createFundedKey(1_000n);
    const call = reserveRequest(key, 1n);
    const stray = reserveRequest(key, 1n, { requestId: 'ffffffff-0000-4000-8000-000000000000' });
    await billing.reserve(call, stray);
    expect(await partitionOf(call.requestId)).toBe(`billing.holds_${month(new Date())}`);
    expect(await partitionOf(stray.requestId)).toBe('billing.holds_default');
  });

  test('are created once when several instances create them concurrently', async () => {
    await setClock(pool, '2031-12-15 00:00:00Z');
    await Promise.all([ensurePartitions(pool), ensurePartitions(pool)]);
    await ensurePartitions(pool);
    const { rows } = await pool.query(`SELECT to_regclass('billing.usage_records_2032_01')::text AS name`);
    expect(rows[0].name).toBe('billing.usage_records_2032_01');
  });

  test('begin with the lowest id of their month', () => {
    const now = Date.now();
    expect(uuidFloor(new Date(now)) <= randomUUIDv7()).toBe(true);
    expect(uuidFloor(new Date(now + 60_000)) > randomUUIDv7()).toBe(true);
  });
});
