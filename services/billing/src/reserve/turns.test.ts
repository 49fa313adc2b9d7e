import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestBilling, WAIT } from '../testing/test-billing';

let database: TestDatabase;
let billing: TestBilling;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
}, 60_000);
afterAll(async () => {
  await billing?.stop();
  await pool?.end();
  await database?.drop();
}, 60_000);

/** Statements that wait for a lock. */
const untilBlocked = (statements: number) =>
  until(async () => {
    const { rows } = await pool.query(
      `SELECT count(*)::int AS blocked FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0].blocked >= statements;
  });

const endOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'answered',
    ({ code, detail }) => `${code}: ${detail}`,
  );
const counted = (ends: readonly string[]) => ({
  answered: ends.filter((end) => end === 'answered').length,
  refused: ends.filter((end) => end.startsWith('rate_limited: the account has too many')).length,
});

test('200 list requests of one account do not block the requests of another account', async () => {
  const [greedy, other] = [await billing.createFundedKey(1n), await billing.createFundedKey(1n)];
  const { asDashboard: client } = billing;
  const holder = await pool.connect();
  try {
    await holder.query(
      'BEGIN; LOCK TABLE billing.ledger, billing.keys, billing.topups IN ACCESS EXCLUSIVE MODE',
    );
    const asked = { accountId: greedy.accountId, limit: 1_000 };
    const lists = [client.ListLedger, client.ListKeys, client.ListTopups];
    const answers = Array.from({ length: 200 }, (_, i) =>
      endOf(callUnary(client, lists[i % 3] as typeof client.ListLedger, asked, WAIT)),
    );
    await untilBlocked(2);
    const { accountId } = other;
    for (let i = 0; i < 5; i++) {
      expect((await callUnary(client, client.ListRequests, { accountId }, WAIT)).requests).toEqual([]);
    }
    const days = { fromDay: '2026-01-01', toDay: '2026-01-02', groupBy: 'USAGE_GROUP_DAY' } as const;
    expect((await callUnary(client, client.GetUsage, { accountId, ...days }, WAIT)).groups).toEqual([]);
    await holder.query('ROLLBACK');
    // Two that ran and sixteen that waited are left, unless this took longer than those wait.
    expect(counted(await Promise.all(answers)).refused).toBeGreaterThanOrEqual(182);
  } finally {
    holder.release(true);
  }
});

test('changes of one account are serialized and use one connection while its lock is held', async () => {
  const [busy, other] = [await billing.createFundedKey(1n), await billing.createFundedKey(1n)];
  const { asDashboard: client } = billing;
  const { accountId, keyId: id } = busy;
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM billing.accounts WHERE id = $1 FOR UPDATE', [accountId]);
    const changes = Array.from({ length: 20 }, (_, i) => [
      callUnary(client, client.UpdateKey, { accountId, id, name: `${i}` }, WAIT),
      callUnary(client, client.CreateKey, { accountId, name: `${i}` }, WAIT),
      callUnary(client, client.UpdateAccountLimits, { id: accountId, dailyLimitNano: String(i) }, WAIT),
    ]).flat() as Promise<object>[];
    const answers = changes.map(endOf);
    await untilBlocked(1);
    expect((await billing.resolve(other.value)).key?.keyId).toBe(other.keyId);
    const theirs = { accountId: other.accountId, id: other.keyId, name: 'theirs' };
    expect(await callUnary(client, client.UpdateKey, theirs, WAIT)).toMatchObject({ name: 'theirs' });
    const { rows } = await pool.query(
      `SELECT count(*)::int AS blocked FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows[0].blocked).toBe(1);
    await holder.query('ROLLBACK');
    const { answered, refused } = counted(await Promise.all(answers));
    expect([answered + refused, answered > 0]).toEqual([60, true]);
  } finally {
    holder.release(true);
  }
});
