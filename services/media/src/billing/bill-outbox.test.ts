import { randomUUID } from 'node:crypto';
import { type BilledCall, lostEvent, type UsageEvent } from '@gateway/call-billing';
import { createPool, type Pool, withTransaction } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import {
  createServiceDatabase,
  createTestDatabase,
  runSql,
  type TestDatabase,
  until,
} from '@gateway/testing';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Bills, countBills } from '../store/bills';
import { beat } from '../store/instances';
import { BillOutbox } from './bill-outbox';
import { settledEvent } from './rules/bill-event';

const LEASE_MS = 400;
const log = createLogger('test', 'silent');

let database: TestDatabase;
let pool: Pool;
const started: Instance[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: await createServiceDatabase('media', database.url), log });
}, 60_000);
afterEach(async () => {
  for (const { billOutbox } of started.splice(0)) await billOutbox.stop();
  await pool.query('DELETE FROM media.bills; DELETE FROM media.instances');
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
}, 60_000);

/** The billing part of a media instance. Billing acknowledges immediately, unless a test disables that. */
class Instance {
  readonly id = randomUUID();
  readonly bills = new Bills(pool, this.id);
  readonly sentEvents: UsageEvent[] = [];
  /** Blocks heartbeat writes. */
  writesStall = false;
  acknowledges = true;
  readonly billOutbox: BillOutbox = new BillOutbox({
    bills: this.bills,
    instanceId: this.id,
    pool: this.#outboxPool(),
    outbox: {
      add: (event) => {
        this.sentEvents.push(event);
        if (this.acknowledges) this.billOutbox.delivered(event);
      },
    },
    log,
    leaseMs: LEASE_MS,
    newTaskId: () => randomUUID(),
    tryMs: 500,
    uncertainMs: 50,
  });

  #outboxPool(): Pool {
    const query = async (text: string, values: unknown[]) => {
      while (this.writesStall && text.includes('INSERT')) await new Promise((go) => setTimeout(go, 10));
      return pool.query(text, values);
    };
    return { query } as unknown as Pool;
  }

  static async start(): Promise<Instance> {
    const instance = new Instance();
    await instance.billOutbox.start();
    started.push(instance);
    return instance;
  }

  /** Creates an instance that sends one heartbeat and then none. */
  static async frozen(): Promise<Instance> {
    const instance = new Instance();
    await beat(pool, instance.id);
    return instance;
  }

  /** The distinct delivered ends; the same end may be delivered twice. */
  get ends(): string[] {
    return [...new Set(this.sentEvents.map(({ requestId, outcome }) => `${requestId} ${outcome}`))].sort();
  }

  async open(): Promise<BilledCall> {
    const call = { ...CALL, requestId: randomUUID() };
    await this.bills.open(call);
    return call;
  }

  async dispatch(): Promise<BilledCall> {
    const call = await this.open();
    expect(await this.bills.dispatched({ ...call, provider: 'second', admittedMs: 9 })).toBe(true);
    return call;
  }
}

const CALL = {
  accountId: 'a',
  keyId: 'k',
  model: 'sim/image',
  provider: 'first',
  endpoint: '/v1/images',
  streamed: false,
  priceVersion: 7n,
  startedAtMs: 1_000,
};
const ENDING = { status: 200, errorCode: '', endedAtMs: 2_000, firstByteMs: 0 };
const settled = (call: BilledCall) => settledEvent(call, ENDING, { costNano: 40n, images: 1 });

const rows = async () => [...(await countBills(pool)).values()].reduce((sum, count) => sum + count, 0);
const noRows = () => until(async () => (await rows()) === 0);

test('an end is delivered once, and its row is deleted when billing acknowledges it', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  expect(await one.billOutbox.end(settled(call))).toBe(true);
  expect(await one.billOutbox.end(lostEvent(call, ENDING))).toBe(false);
  await noRows();
  expect(one.ends).toHaveLength(1);
  expect(one.sentEvents[0]).toMatchObject({
    requestId: call.requestId,
    outcome: 'USAGE_OUTCOME_SETTLED',
    costNano: '40',
    images: 1,
    priceVersion: '7',
    provider: 'first',
  });
});

test('the first of several concurrent ends counts', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  const ends = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      one.billOutbox.end(i % 2 === 0 ? settled(call) : lostEvent(call, ENDING)),
    ),
  );
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(one.ends).toHaveLength(1);
});

test('the calls of a killed instance are released, lost or delivered by other instances', async () => {
  const killed = await Instance.frozen();
  killed.acknowledges = false;
  const open = await Promise.all(Array.from({ length: 30 }, () => killed.open()));
  const dispatched = await Promise.all(Array.from({ length: 30 }, () => killed.dispatch()));
  const ended = await killed.dispatch();
  await killed.billOutbox.end(settled(ended));
  const others = await Promise.all([Instance.start(), Instance.start(), Instance.start()]);
  await noRows();
  expect(others.flatMap((one) => one.ends).sort()).toEqual(
    [
      ...open.map(({ requestId }) => `${requestId} USAGE_OUTCOME_RELEASED`),
      ...dispatched.map(({ requestId }) => `${requestId} USAGE_OUTCOME_LOST`),
      `${ended.requestId} USAGE_OUTCOME_SETTLED`,
    ].sort(),
  );
  const instances = await pool.query('SELECT id FROM media.instances');
  expect(instances.rows.map(({ id }) => id).sort()).toEqual(others.map(({ id }) => id).sort());
  const lost = others
    .flatMap(({ sentEvents }) => sentEvents)
    .find(({ outcome }) => outcome === 'USAGE_OUTCOME_LOST');
  expect(lost).toMatchObject({
    provider: 'second',
    endpoint: '/v1/images',
    model: 'sim/image',
    admittedMs: 9,
    costNano: '0',
  });
});

test('an instance that was presumed dead and resumes cannot change its bills', async () => {
  const frozen = await Instance.frozen();
  const [open, dispatched] = [await frozen.open(), await frozen.dispatch()];
  const other = await Instance.start();
  await until(() => other.sentEvents.length === 2);
  expect(await frozen.bills.dispatched(open)).toBe(false);
  expect(await frozen.billOutbox.end(settled(dispatched))).toBe(false);
  expect(await withTransaction(pool, (client) => frozen.bills.handOver(client, dispatched.requestId))).toBe(
    false,
  );
  expect(frozen.sentEvents).toEqual([]);
  expect(other.ends).toEqual(
    [`${open.requestId} USAGE_OUTCOME_RELEASED`, `${dispatched.requestId} USAGE_OUTCOME_LOST`].sort(),
  );
});

test('a running instance keeps its bills, and a stopping instance hands them over at once', async () => {
  const [one, other] = [await Instance.start(), await Instance.start()];
  const call = await one.dispatch();
  // Two leases, in which another instance could have adopted the bill.
  await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS));
  expect(other.sentEvents).toEqual([]);
  await one.billOutbox.stop();
  await noRows();
  expect(other.ends).toEqual([`${call.requestId} USAGE_OUTCOME_LOST`]);
});

test("a task's bill belongs to no instance and is ended in the transaction of the task's end", async () => {
  const [killed, other] = [await Instance.frozen(), await Instance.start()];
  const call = await killed.dispatch();
  const handOver = () => withTransaction(pool, (client) => killed.bills.handOver(client, call.requestId));
  expect([await handOver(), await handOver()]).toEqual([true, false]);
  expect(await killed.billOutbox.end(lostEvent(call, ENDING))).toBe(false);
  const endIn = (work: () => void = () => {}) =>
    withTransaction(pool, async (client) => {
      const event = await other.bills.endTask(client, call.requestId, settled);
      work();
      return event;
    });
  const failing = endIn(() => {
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  const ends = await Promise.all([endIn(), endIn(), endIn()]);
  const [event, ...more] = ends.filter((end) => end !== undefined);
  expect([event?.requestId, more]).toEqual([call.requestId, []]);
  other.billOutbox.deliver(event!);
  await noRows();
  expect(other.ends).toEqual([`${call.requestId} USAGE_OUTCOME_SETTLED`]);
});

test('an end that was committed but not reported is still delivered', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  await one.bills.end(settled(call));
  await noRows();
  expect(one.ends).toEqual([`${call.requestId} USAGE_OUTCOME_SETTLED`]);
});

test('the retry of an end whose commit was not reported succeeds as its own', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  const end = one.bills.end.bind(one.bills);
  let tries = 0;
  one.bills.end = async (event) => {
    const isFirst = await end(event);
    if (tries++ === 0) throw new Error('connection lost');
    return isFirst;
  };
  expect(await one.billOutbox.end(settled(call))).toBe(true);
  expect(tries).toBe(2);
  await noRows();
  expect(one.ends).toEqual([`${call.requestId} USAGE_OUTCOME_SETTLED`]);
});

test('an end waits while the database is unavailable', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  const { end } = one.bills;
  let failures = 0;
  one.bills.end = (event) =>
    end.call(one.bills, event).catch((error) => {
      failures++;
      throw error;
    });
  await runSql(database.url, 'ALTER TABLE media.bills RENAME TO away');
  const ending = one.billOutbox.end(settled(call));
  await until(() => failures > 0);
  await runSql(database.url, 'ALTER TABLE media.away RENAME TO bills');
  expect(await ending).toBe(true);
  await noRows();
});

test('the bill of an unknown instance is ended once its lease expires', async () => {
  const one = await Instance.start();
  // Both instances were removed and opened a bill after they resumed.
  const [dead, alive] = [new Instance(), new Instance()];
  const call = await dead.dispatch();
  const other = await alive.dispatch();
  await beat(pool, alive.id);
  const beating = setInterval(() => void beat(pool, alive.id), LEASE_MS / 8);
  try {
    await until(async () => (await rows()) === 1);
  } finally {
    clearInterval(beating);
  }
  expect(one.ends).toEqual([`${call.requestId} USAGE_OUTCOME_LOST`]);
  expect(await alive.bills.dispatched(other)).toBe(true);
});

test('a bill that may have been opened is dropped later unless its call was dispatched', async () => {
  const one = await Instance.start();
  const [opened, dispatched] = [await one.open(), await one.dispatch()];
  one.billOutbox.dropLater(opened.requestId);
  one.billOutbox.dropLater(dispatched.requestId);
  one.billOutbox.dropLater(randomUUID());
  await until(async () => (await rows()) === 1);
  expect(await one.billOutbox.end(settled(dispatched))).toBe(true);
});

test('an instance that cannot write presumes no other instance dead until it can write and a lease has passed', async () => {
  const one = await Instance.start();
  const other = await Instance.frozen();
  const call = await other.dispatch();
  one.writesStall = true;
  await new Promise((resolve) => setTimeout(resolve, 3 * LEASE_MS));
  expect(one.sentEvents).toEqual([]);
  one.writesStall = false;
  await noRows();
  expect(one.ends).toEqual([`${call.requestId} USAGE_OUTCOME_LOST`]);
});

test('an end is retried for as long as its instance runs', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  const clock = jest.spyOn(performance, 'now');
  const { end } = one.bills;
  let tries = 0;
  one.bills.end = async (event) => {
    // Each attempt is an hour later.
    clock.mockImplementation(() => tries * 3_600_000);
    if (++tries < 4) throw new Error('away');
    return end.call(one.bills, event);
  };
  try {
    expect(await one.billOutbox.end(settled(call))).toBe(true);
  } finally {
    clock.mockRestore();
  }
  await noRows();
  expect(one.ends).toEqual([`${call.requestId} USAGE_OUTCOME_SETTLED`]);
});

test('an attempt that hangs is abandoned, and its end is recognized by the retry', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  const { end } = one.bills;
  let tries = 0;
  one.bills.end = async (event) => {
    const isFirst = await end.call(one.bills, event);
    return ++tries === 1 ? new Promise<never>(() => {}) : isFirst;
  };
  expect(await one.billOutbox.end(settled(call))).toBe(true);
  expect(tries).toBe(2);
  await noRows();
  expect(one.ends).toEqual([`${call.requestId} USAGE_OUTCOME_SETTLED`]);
});

test('a stopping instance retries once more and leaves the end to other instances', async () => {
  const one = await Instance.start();
  const call = await one.dispatch();
  let tries = 0;
  one.bills.end = async () => {
    tries++;
    throw new Error('away');
  };
  const ending = one.billOutbox.end(settled(call));
  await until(() => tries === 3);
  await Promise.all([expect(ending).rejects.toThrow('away'), one.billOutbox.stop()]);
  const other = await Instance.start();
  await noRows();
  expect(other.ends).toEqual([`${call.requestId} USAGE_OUTCOME_LOST`]);
});

test('a call without a hold leaves no bill', async () => {
  const one = await Instance.start();
  const call = await one.open();
  await one.bills.drop(call.requestId);
  expect([await rows(), one.sentEvents]).toEqual([0, []]);
});
