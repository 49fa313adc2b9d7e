import { randomUUIDv7 } from 'node:crypto';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import type { AccessLogEntry } from '@gateway/proto/generated/gateway/billing/v1/AccessLogEntry';
import type { ListRequestsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsRequest';
import type { RefusedCall } from '@gateway/proto/generated/gateway/billing/v1/RefusedCall';
import type { RefusedCount } from '@gateway/proto/generated/gateway/billing/v1/RefusedCount';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { uuidFloor } from '../reserve/rules/request-id';
import { dropOldRecords, ensurePartitions } from '../store/partitions';
import { setClock } from '../testing/set-clock';
import { reserveRequest, TestBilling, usageEvent, WAIT } from '../testing/test-billing';
import { forgetAccessLog } from './store/access-log';

let database: TestDatabase;
let billing: TestBilling;
let pool: Pool;
/** With the login of the service. */
let servicePool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
  const log = createLogger('test', 'silent');
  pool = createPool({ url: database.url, log });
  servicePool = createPool({ url: billing.databaseUrl, log });
}, 60_000);
afterAll(async () => {
  await Promise.all([pool?.end(), servicePool?.end()]);
  await billing?.stop();
  await database?.drop();
}, 60_000);

interface Key {
  readonly accountId: string;
  readonly keyId: string;
}
const list = (key: Key, filter: ListRequestsRequest = {}) => {
  const { asDashboard: client } = billing;
  return callUnary(client, client.ListRequests, { accountId: key.accountId, ...filter }, WAIT);
};
const get = (accountId: string, id: string) => {
  const { asDashboard: client } = billing;
  return callUnary(client, client.GetRequest, { accountId, id }, WAIT);
};
const today = () => new Date().toISOString().slice(0, 10);
const usage = async (
  key: Key,
  groupBy: 'DAY' | 'MODEL' | 'KEY' | 'DAY_MODEL' | 'DAY_KEY',
  days: [string, string] = [today(), today()],
) => {
  const { asDashboard: client } = billing;
  const request = { accountId: key.accountId, fromDay: days[0], toDay: days[1] };
  const { groups } = await callUnary(
    client,
    client.GetUsage,
    { ...request, groupBy: `USAGE_GROUP_${groupBy}` },
    WAIT,
  );
  return groups;
};
const refused = (key: Key, more: Partial<RefusedCall> = {}): RefusedCall & { requestId: string } => ({
  accountId: key.accountId,
  keyId: key.keyId,
  model: 'sim/chat',
  endpoint: '/v1/chat/completions',
  status: 429,
  errorCode: 'rpm_rate_limited',
  startedAtMs: String(Date.now()),
  endedAtMs: String(Date.now()),
  ...more,
  requestId: more.requestId ?? randomUUIDv7(),
});
const report = (reporterId: string, number: number, calls: RefusedCall[], more: RefusedCount[] = []) => {
  const { asEdge: client } = billing;
  return callUnary(client, client.ReportRefusals, { reporterId, report: String(number), calls, more }, WAIT);
};
const listAll = (filter: ListRequestsRequest = {}) => {
  const { asDashboard: client } = billing;
  return callUnary(client, client.ListAllRequests, { filter }, WAIT);
};
const find = (id: string) => {
  const { asDashboard: client } = billing;
  return callUnary(client, client.FindRequest, { id }, WAIT);
};
const logAccess = (entries: AccessLogEntry[]) => {
  const { asEdge: client } = billing;
  return callUnary(client, client.AppendAccessLog, { entries }, WAIT);
};
/** Waits until the given number of sessions of this database wait for a lock. */
async function untilBlocked(sessions: number): Promise<void> {
  for (const endMs = Date.now() + 10_000; ; ) {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length >= sessions) return;
    if (Date.now() > endMs) throw new Error('no session waits');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
async function settled(key: Key, costNano: bigint, more: Parameters<typeof usageEvent>[2] = {}) {
  const call = reserveRequest(key, 1_000n, { model: more.model ?? 'sim/chat' });
  await billing.reserve(call);
  await billing.deliver(usageEvent(call, costNano, more));
  return call.requestId;
}

test('what the provider charges is recorded, if it is known', async () => {
  const key = await billing.createFundedKey(10_000n);
  const known = await settled(key, 123n, { providerCostNano: '99' });
  const free = await settled(key, 123n, { providerCostNano: '0' });
  const unknown = await settled(key, 123n);
  expect((await find(known)).providerCostNano).toBe('99');
  expect((await find(free)).providerCostNano).toBe('0');
  expect((await find(unknown)).providerCostNano).toBeUndefined();
  const { requests } = await list(key);
  expect(requests.map(({ providerCostNano }) => providerCostNano)).toEqual([undefined, '0', '99']);
});

describe('the request list', () => {
  test('has settled requests with their figures and times', async () => {
    const key = await billing.createFundedKey(10_000n);
    const startedAtMs = Date.now();
    const id = await settled(key, 123n, {
      tokens: { input: '1', cacheRead: '2', cacheWrite: '3', output: '4', reasoning: '1' },
      startedAtMs: String(startedAtMs),
      admittedMs: 7,
      firstByteMs: 20,
      endedAtMs: String(startedAtMs + 50),
    });
    const record = await get(key.accountId, id);
    expect(record).toMatchObject({
      id,
      keyId: key.keyId,
      model: 'sim/chat',
      status: 200,
      errorCode: '',
      costNano: '123',
      tokens: { input: '1', cacheRead: '2', cacheWrite: '3', output: '4', reasoning: '1' },
      startedAtMs: String(startedAtMs),
      admittedMs: 7,
      firstByteMs: 20,
      endedAtMs: String(startedAtMs + 50),
    });
    expect(Math.abs(Number(record.createdAtMs) - startedAtMs)).toBeLessThan(5_000);
    expect((await list(key)).requests).toEqual([record]);
  });

  test("answers not_found for another account's and unknown requests", async () => {
    const key = await billing.createFundedKey(10_000n);
    const other = await billing.createFundedKey(10_000n);
    const id = await settled(key, 1n);
    for (const [account, request] of [
      [other.accountId, id],
      [key.accountId, randomUUIDv7()],
      [key.accountId, 'no-uuid'],
    ] as const) {
      await expect(get(account, request)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await list(other)).requests).toEqual([]);
    expect((await list(other, { keyId: key.keyId })).requests).toEqual([]);
  });

  test('is paged, newest first, and supports each filter', async () => {
    const key = await billing.createFundedKey(10_000n);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await settled(key, 1n));
    const failed = refused(key, { model: 'sim/none', errorCode: 'model_not_found', status: 404 });
    await report(randomUUIDv7(), 1, [failed]);
    const all = [failed.requestId, ...ids];
    const idsOf = async (filter: ListRequestsRequest) =>
      (await list(key, filter)).requests.map(({ id }) => id);

    const pages: string[][] = [];
    let cursor = '';
    do {
      const page = await list(key, { limit: 4, cursor });
      pages.push(page.requests.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(pages).toEqual([all.slice(0, 4), all.slice(4)]);

    expect(await idsOf({ model: 'sim/none' })).toEqual([failed.requestId]);
    expect(await idsOf({ errorCode: 'model_not_found' })).toEqual([failed.requestId]);
    expect(await idsOf({ status: 404 })).toEqual([failed.requestId]);
    expect(await idsOf({ status: 200 })).toEqual(ids);
    expect(await idsOf({ keyId: 'another' })).toEqual([]);
    expect(await idsOf({ keyId: key.keyId, model: 'sim/chat', limit: 2 })).toEqual(ids.slice(0, 2));
    const secondMs = Number((await get(key.accountId, ids[3]!)).createdAtMs);
    expect((await idsOf({ fromMs: String(secondMs) })).includes(ids[3]!)).toBe(true);
    expect((await idsOf({ toMs: String(secondMs) })).includes(ids[3]!)).toBe(false);
    await expect(list(key, { cursor: '17' })).rejects.toMatchObject({ code: 'invalid_request' });
    const left = await settled(key, 1n, { status: 499 });
    expect(await idsOf({ status: 499 })).toEqual([left]);
    const broken = await settled(key, 1n, { errorCode: 'upstream_failed' });
    expect(await idsOf({ end: 'REQUEST_END_OK' })).toEqual(ids);
    expect(await idsOf({ end: 'REQUEST_END_FAILED' })).toEqual([broken, failed.requestId]);
    expect(await idsOf({ end: 'REQUEST_END_FAILED', model: 'sim/none' })).toEqual([failed.requestId]);
  });
});

describe('a call that creates a task', () => {
  const task = (key: Key, more: object = {}) => ({
    ...reserveRequest(key, 1_000n, { model: 'sim/video' }),
    makesTask: true,
    taskId: `task_${randomUUIDv7()}`,
    endpoint: '/v1/videos/sim/create',
    ...more,
  });
  const idsOf = async (key: Key, filter: ListRequestsRequest) =>
    (await list(key, filter)).requests.map(({ id }) => id);

  test('is in progress from its hold on, and has its task id in the record and the ledger', async () => {
    const key = await billing.createFundedKey(10_000n);
    const call = task(key);
    await billing.reserve(call);
    const running = await get(key.accountId, call.requestId);
    expect(running).toMatchObject({
      inProgress: true,
      heldNano: '1000',
      costNano: '0',
      status: 0,
      taskId: call.taskId,
      endpoint: call.endpoint,
      keyId: key.keyId,
      model: 'sim/video',
    });
    expect((await list(key)).requests).toEqual([running]);

    await billing.deliver(usageEvent(call, 700n, { taskId: call.taskId }));
    const ended = await get(key.accountId, call.requestId);
    expect(ended).toMatchObject({ inProgress: false, heldNano: '0', costNano: '700', taskId: call.taskId });
    expect((await list(key)).requests).toEqual([ended]);
    const { asDashboard: client } = billing;
    const { entries } = await callUnary(client, client.ListLedger, { accountId: key.accountId }, WAIT);
    expect(entries.map(({ reference, taskId }) => [reference, taskId])).toContainEqual([
      call.requestId,
      call.taskId,
    ]);
  });

  test('is listed for its own account only; holds without a task are not listed', async () => {
    const key = await billing.createFundedKey(10_000n);
    const other = await billing.createFundedKey(10_000n);
    const call = task(key);
    await billing.reserve(call, reserveRequest(key, 1n));
    expect(await idsOf(key, {})).toEqual([call.requestId]);
    expect(await idsOf(other, {})).toEqual([]);
    await expect(get(other.accountId, call.requestId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is ordered by creation time among settled requests and matches the filters that apply to it', async () => {
    const key = await billing.createFundedKey(10_000n);
    const before = await settled(key, 1n);
    const running = task(key);
    await billing.reserve(running);
    const after = await settled(key, 1n);
    const createdMs = Number((await get(key.accountId, running.requestId)).createdAtMs);
    const { requestId } = running;
    const expected: readonly [ListRequestsRequest, string[]][] = [
      [{}, [after, requestId, before]],
      [{ keyId: key.keyId }, [after, requestId, before]],
      [{ model: 'sim/video' }, [requestId]],
      [{ model: 'sim/chat' }, [after, before]],
      [{ keyId: 'another' }, []],
      [{ toMs: String(createdMs + 60_000), fromMs: String(createdMs - 60_000) }, [after, requestId, before]],
      [{ fromMs: String(createdMs + 60_000) }, []],
      [{ end: 'REQUEST_END_IN_PROGRESS' }, [requestId]],
      [{ end: 'REQUEST_END_IN_PROGRESS', model: 'sim/chat' }, []],
      [{ end: 'REQUEST_END_IN_PROGRESS', errorCode: 'upstream_failed' }, []],
      [{ end: 'REQUEST_END_OK' }, [after, before]],
      [{ status: 200 }, [after, before]],
    ];
    for (const [filter, ids] of expected) expect([filter, await idsOf(key, filter)]).toEqual([filter, ids]);
  });

  test('is on one page only, even if it ends while the pages are read', async () => {
    const key = await billing.createFundedKey(100_000n);
    const calls = [];
    for (let i = 0; i < 6; i++) {
      const call = task(key);
      await billing.reserve(call);
      calls.unshift(call);
    }
    const ids = calls.map(({ requestId }) => requestId);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(key, { limit: 2, cursor });
      seen.push(...page.requests.map(({ id }) => id));
      cursor = page.nextCursor;
      // One call of this page and one of the next.
      for (const call of [calls[seen.length - 1], calls[seen.length]]) {
        if (call) await billing.deliver(usageEvent(call, 1n, { taskId: call.taskId }));
      }
    } while (cursor !== '');
    expect(seen).toEqual(ids);
  });
});

describe('reports of refused calls', () => {
  test('count each call once, however often they are sent', async () => {
    const key = await billing.createFundedKey(10_000n);
    const reporter = randomUUIDv7();
    const call = refused(key);
    const more = [{ ...key, model: 'sim/chat', errorCode: 'rpm_rate_limited', day: today(), calls: '40' }];
    await report(reporter, 1, [call], more);
    await report(reporter, 1, [call], more);
    await report(reporter, 2, [call]);
    expect(await usage(key, 'DAY')).toMatchObject([
      { group: today(), calls: '41', errors: '41', costNano: '0' },
    ]);
    expect((await list(key)).requests).toMatchObject([{ id: call.requestId, status: 429 }]);
  });

  test('lock the sums of several accounts in a fixed order', async () => {
    const keys: Key[] = [await billing.createFundedKey(10_000n), await billing.createFundedKey(10_000n)];
    const [first, last] = keys.sort((a, b) => (a.accountId < b.accountId ? -1 : 1)) as [Key, Key];
    const { accountId, keyId } = first;
    const count = { accountId, keyId, model: 'sim/chat', errorCode: 'x', day: today(), calls: '4' };
    await report(randomUUIDv7(), 1, [refused(first), refused(last)]);
    const client = await pool.connect();
    try {
      const lock = (key: Key) =>
        client.query('SELECT FROM billing.usage_days WHERE account_id = $1 FOR UPDATE NOWAIT', [
          key.accountId,
        ]);
      await client.query('BEGIN');
      await lock(first);
      const reported = report(randomUUIDv7(), 1, [refused(last)], [count]);
      await untilBlocked(1);
      await lock(last);
      await client.query('COMMIT');
      await reported;
    } finally {
      client.release(true);
    }
    expect(await usage(first, 'DAY')).toMatchObject([{ calls: '5', errors: '5' }]);
    expect(await usage(last, 'DAY')).toMatchObject([{ calls: '2', errors: '2' }]);
  });

  test('do not count a call twice that has a hold and settles later', async () => {
    const key = await billing.createFundedKey(10_000n);
    const call = reserveRequest(key, 1_000n);
    await billing.reserve(call);
    await report(randomUUIDv7(), 1, [refused(key, { requestId: call.requestId })]);
    await billing.deliver(
      usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_RELEASED', errorCode: 'internal_error' }),
    );
    expect(await billing.account(key.accountId)).toMatchObject({ heldNano: '0' });
    expect(await usage(key, 'DAY')).toMatchObject([{ calls: '1', errors: '1' }]);
  });

  test('may omit the error code if the client disconnected', async () => {
    const key = await billing.createFundedKey(10_000n);
    await report('r', 1, [refused(key, { status: 499, errorCode: '' })]);
    expect(await usage(key, 'DAY')).toMatchObject([{ calls: '1', errors: '0' }]);
  });

  test('are rejected without an error code, with an invalid day, or with too many calls', async () => {
    const key = await billing.createFundedKey(10_000n);
    const wrong = { code: 'invalid_request' };
    const count = { ...key, model: '', errorCode: 'x', calls: '1' };
    await expect(report('r', 1, [refused(key, { errorCode: '' })])).rejects.toMatchObject(wrong);
    await expect(report('r', 1, [], [{ ...count, day: '2026-02-31' }])).rejects.toMatchObject(wrong);
    await expect(report('r', 1, Array(2_001).fill(refused(key)))).rejects.toMatchObject(wrong);
    expect(await usage(key, 'DAY')).toEqual([]);
  });
});

describe('usage', () => {
  test('is summed by day, model and key, including refused calls', async () => {
    const key = await billing.createFundedKey(100_000n);
    const { asDashboard: client } = billing;
    const made = await callUnary(client, client.CreateKey, { accountId: key.accountId, name: 'b' }, WAIT);
    const second = { accountId: key.accountId, keyId: made.key!.id };
    await settled(key, 100n);
    await settled(key, 50n, { model: 'sim/image', images: 3, tokens: null });
    await settled(second, 500n, { model: 'sim/video', videoMs: '5000', tokens: null });
    await report(randomUUIDv7(), 1, [
      refused(key),
      refused(key, { model: 'what/ever', errorCode: 'model_not_found', status: 404 }),
    ]);
    expect(await usage(key, 'DAY')).toEqual([
      {
        group: today(),
        calls: '5',
        errors: '2',
        inputTokens: '10',
        outputTokens: '20',
        images: '3',
        videoMs: '5000',
        costNano: '650',
        model: '',
        keyId: '',
      },
    ]);
    expect((await usage(key, 'MODEL')).map(({ group, calls }) => [group, calls])).toEqual([
      ['sim/video', '1'],
      ['sim/chat', '2'],
      ['sim/image', '1'],
      ['', '1'],
    ]);
    expect((await usage(key, 'KEY')).map(({ group, costNano }) => [group, costNano])).toEqual([
      [second.keyId, '500'],
      [key.keyId, '150'],
    ]);
    expect(await usage(key, 'DAY', ['2020-01-01', '2020-12-31'])).toEqual([]);
    const rows = async (groupBy: 'DAY_MODEL' | 'DAY_KEY') =>
      (await usage(key, groupBy)).map(({ group, model, keyId, calls }) => [group, model, keyId, calls]);
    expect(await rows('DAY_MODEL')).toEqual([
      [today(), 'sim/video', '', '1'],
      [today(), 'sim/chat', '', '2'],
      [today(), 'sim/image', '', '1'],
      [today(), '', '', '1'],
    ]);
    expect(await rows('DAY_KEY')).toEqual([
      [today(), '', second.keyId, '1'],
      [today(), '', key.keyId, '4'],
    ]);
    await expect(usage(key, 'DAY', ['2020-01-01', 'today'])).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

test('usage by day and model is sorted, and rejected rather than truncated above 10,000 rows', async () => {
  const key = await billing.createFundedKey(0n);
  const fill = (from: number, to: number) =>
    pool.query(
      `INSERT INTO billing.usage_days SELECT $1, date '2020-01-01' + n / 5000, $2, 'm/' || n, 1, 0, 0, 0, 0, 0, n
       FROM generate_series($3::int, $4::int) AS n`,
      [key.accountId, key.keyId, from, to],
    );
  const days: [string, string] = ['2020-01-01', '2020-01-03'];
  await fill(1, 10_000);
  const rows = await usage(key, 'DAY_MODEL', days);
  expect(rows.map(({ group }) => group)).toEqual(rows.map(({ group }) => group).toSorted());
  expect(rows).toHaveLength(10_000);
  expect(rows.slice(4_998, 5_000).map(({ group, model }) => [group, model])).toEqual([
    ['2020-01-01', 'm/1'],
    ['2020-01-02', 'm/9999'],
  ]);
  expect(await usage(key, 'MODEL', days)).toHaveLength(1_000);
  await fill(10_001, 10_001);
  await expect(usage(key, 'DAY_MODEL', days)).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('fewer days'),
  });
});

test('list requests that time out are rejected, few run at once, and key lookups are not delayed', async () => {
  const key = await billing.createFundedKey(10_000n);
  const client = await pool.connect();
  try {
    await client.query('BEGIN; LOCK TABLE billing.usage_records IN ACCESS EXCLUSIVE MODE');
    const answers = [list(key), list(key, { model: 'sim/none' }), list(key)].map((answer) =>
      answer.then(
        () => 'answered',
        ({ code, detail }) => `${code}: ${detail}`,
      ),
    );
    await untilBlocked(2);
    for (let i = 0; i < 20; i++) expect((await billing.resolve(key.value)).key?.keyId).toBe(key.keyId);
    expect(await usage({ ...key, accountId: 'another' }, 'DAY')).toEqual([]);
    expect(await Promise.all(answers)).toEqual([
      expect.stringMatching(/^invalid_request: the query took too long/),
      expect.stringMatching(/^invalid_request: the query took too long/),
      'rate_limited: the account has too many requests of this kind in progress',
    ]);
  } finally {
    client.release(true);
  }
  expect((await list(key)).requests).toEqual([]);
});

test('dropping an old partition waits for readers without delaying settlement', async () => {
  const key = await billing.createFundedKey(10_000n);
  await setClock(pool, '2020-06-01 00:00:00Z');
  await ensurePartitions(servicePool);
  await setClock(pool, '2020-12-01 00:00:00Z');
  const months = async () => {
    const { rows } = await pool.query(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
       WHERE inhparent = 'billing.usage_records'::regclass AND inhrelid::regclass::text ~ '2020_0[67]$'`,
    );
    return rows.map(({ name }) => name);
  };
  expect(await months()).toHaveLength(2);
  const reader = await pool.connect();
  try {
    await reader.query('BEGIN; SELECT FROM billing.usage_records');
    const dropped = dropOldRecords(servicePool, 30);
    await untilBlocked(1);
    const startMs = performance.now();
    await settled(key, 1n);
    expect(performance.now() - startMs).toBeLessThan(1_500);
    await reader.query('COMMIT');
    await dropped;
  } finally {
    reader.release(true);
    await setClock(pool, 'now()');
  }
  expect(await months()).toEqual([]);
});

test('records older than the retention are dropped by whole months; their daily sums stay', async () => {
  const key = await billing.createFundedKey(10_000n);
  const old = Date.UTC(2021, 0, 20);
  await setClock(pool, '2021-01-20 00:00:00Z');
  await ensurePartitions(servicePool);
  await setClock(pool, 'now()');
  const requestId = uuidFloor(new Date(old))
    .replace(/0000-0{12}$/, '8000-000000000001')
    .replace('-0000-', '-7000-');
  await report(randomUUIDv7(), 1, [refused(key, { requestId })]);
  await setClock(pool, '2021-02-28 00:00:00Z');
  await dropOldRecords(servicePool, 30);
  expect((await list(key)).requests).toHaveLength(1);
  await setClock(pool, '2021-03-10 00:00:00Z');
  await dropOldRecords(servicePool, 30);
  await setClock(pool, 'now()');
  expect((await list(key)).requests).toEqual([]);
  expect(await usage(key, 'DAY', ['2021-01-20', '2021-01-20'])).toMatchObject([{ calls: '1' }]);
});

describe('an operator finds', () => {
  const entry = (more: Partial<AccessLogEntry> = {}): AccessLogEntry & { requestId: string } => ({
    accountId: '',
    keyId: '',
    userId: '',
    method: 'POST',
    path: '/v1/videos/sim/status',
    status: 200,
    errorCode: '',
    startedAtMs: '1000',
    endedAtMs: '1005',
    ...more,
    requestId: more.requestId ?? randomUUIDv7(),
  });

  test('requests of any account: settled, refused, in flight, free, or with a login token', async () => {
    const key = await billing.createFundedKey(1_000n);
    const ended = reserveRequest(key, 10n);
    await billing.reserve(ended);
    const running = reserveRequest(key, 10n);
    await billing.reserve(running);
    await billing.deliver(usageEvent(ended, 7n));
    const refusal = refused(key);
    await report(randomUUIDv7(), 1, [refusal]);
    const free = entry({ accountId: key.accountId, keyId: key.keyId });
    const login = entry({ userId: 'user_1', method: 'GET', path: '/api/v1/keys', status: 404 });
    await logAccess([free, login]);
    expect(await find(ended.requestId!)).toMatchObject({ accountId: key.accountId, costNano: '7' });
    expect(await find(running.requestId!)).toMatchObject({ accountId: key.accountId, keyId: key.keyId });
    expect(await find(refusal.requestId)).toMatchObject({ status: 429, errorCode: 'rpm_rate_limited' });
    expect(await find(free.requestId)).toMatchObject({
      accountId: key.accountId,
      keyId: key.keyId,
      endpoint: '/v1/videos/sim/status',
      status: 200,
      startedAtMs: '1000',
      endedAtMs: '1005',
    });
    expect(await find(login.requestId)).toMatchObject({ accountId: '', userId: 'user_1', status: 404 });
    for (const id of [randomUUIDv7(), 'no id']) {
      await expect(find(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('the usage record of a call rather than its access-log entry; repeated entries are stored once', async () => {
    const key = await billing.createFundedKey(1_000n);
    const refusal = refused(key, { model: 'sim/other' });
    const logged = entry({ requestId: refusal.requestId, accountId: key.accountId, status: 429 });
    for (const _ of [1, 2]) await logAccess([logged]);
    await report(randomUUIDv7(), 1, [refusal]);
    expect(await find(refusal.requestId)).toMatchObject({ model: 'sim/other', keyId: key.keyId });
  });

  test('requests of all accounts in pages, newest first, filtered by account, key and error', async () => {
    const keys = [await billing.createFundedKey(0n), await billing.createFundedKey(0n)];
    const from = Date.now();
    const calls = keys.flatMap((key) => [refused(key), refused(key, { errorCode: 'tpm_rate_limited' })]);
    await report(randomUUIDv7(), 1, calls);
    const ids = async (filter: ListRequestsRequest) =>
      (await listAll({ fromMs: String(from - 1), ...filter })).requests.map(({ id }) => id);
    const newestFirst = calls
      .map(({ requestId }) => requestId)
      .sort()
      .reverse();
    expect(await ids({})).toEqual(newestFirst);
    const first = await listAll({ fromMs: String(from - 1), limit: 3 });
    const rest = await listAll({ fromMs: String(from - 1), limit: 3, cursor: first.nextCursor });
    expect([...first.requests, ...rest.requests].map(({ id }) => id)).toEqual(newestFirst);
    const ofOne = newestFirst.filter((id) =>
      calls.some((call) => call.requestId === id && call.keyId === keys[0]!.keyId),
    );
    expect(await ids({ accountId: keys[0]!.accountId })).toEqual(ofOne);
    expect(await ids({ keyId: keys[0]!.keyId })).toEqual(ofOne);
    expect(await ids({ keyId: 'key_none' })).toEqual([]);
    expect(await ids({ errorCode: 'tpm_rate_limited' })).toHaveLength(2);
  });

  test('no access-log entry older than the retention', async () => {
    const old = entry({ requestId: uuidFloor(new Date(Date.now() - 10 * 86_400_000)) });
    const young = entry({});
    await logAccess([old, young]);
    await forgetAccessLog(pool, 7 * 86_400_000, Date.now());
    await expect(find(old.requestId)).rejects.toMatchObject({ code: 'not_found' });
    expect((await find(young.requestId)).id).toBe(young.requestId);
  });
});
