import { randomUUID } from 'node:crypto';
import { Cells, type UsageEvent } from '@gateway/call-billing';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createServiceDatabase, createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { NO_USAGE } from '../../domain/usage';
import { call, cellBilling, final } from '../journal.fixture';
import { listOthers, rowsOf, type StoredRow, takeOver } from './journal-rows';
import { JournalSuccessor } from './journal-successor';
import { PostgresJournal } from './postgres-journal';

const log = createLogger('chat', 'silent');
/** Beyond the lease. */
const TAKEN_OVER_WITHIN_MS = 30_000;

let database: TestDatabase;
let url: string;
let pool: Pool;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  url = await createServiceDatabase('chat', database.url);
  pool = createPool({ url, log });
}, 60_000);
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await pool.query('DELETE FROM chat.journal');
  await pool.query('DELETE FROM chat.journal_owners');
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function open(): Promise<{ journal: PostgresJournal; takenOver: () => boolean }> {
  let isTakenOver = false;
  const writePool = createPool({ url, log, maxConnections: 1 });
  closing.push(() => writePool.end());
  const onTakenOver = () => {
    isTakenOver = true;
  };
  return {
    journal: await PostgresJournal.open({ pool, writePool, log, onTakenOver }),
    takenOver: () => isTakenOver,
  };
}

async function stored(ownerId: string): Promise<Map<string, StoredRow>> {
  const rows = new Map<string, StoredRow>();
  for await (const row of rowsOf(pool, ownerId)) rows.set(row.requestId, row);
  return rows;
}

describe('a journal in PostgreSQL', () => {
  test('has what happened to a call until it is acknowledged', async () => {
    const { journal } = await open();
    const [ended, cut] = [randomUUID(), randomUUID()];
    await Promise.all([journal.dispatched(call(ended), 10), journal.dispatched(call(cut), 10)]);
    journal.progress(cut, { ...NO_USAGE, input: 10, output: 3 });
    journal.progress(cut, { ...NO_USAGE, input: 10, output: 4 });
    await journal.final(final(ended));
    const rows = await stored(journal.owner.id);
    expect(JSON.parse(`${rows.get(ended)?.final}`)).toEqual(JSON.parse(JSON.stringify(final(ended))));
    expect(JSON.parse(`${rows.get(cut)?.progress}`)).toMatchObject({ output: 4 });
    expect(rows.get(cut)).toMatchObject({ final: null, dispatched: expect.stringContaining(cut) });
    journal.acknowledge(ended);
    await until(async () => !(await stored(journal.owner.id)).has(ended));
  });

  test('writes what accumulates during a write as one', async () => {
    const { journal } = await open();
    const ids = Array.from({ length: 500 }, () => randomUUID());
    await Promise.all(ids.map((id) => journal.dispatched(call(id), 10)));
    await Promise.all(ids.map((id) => journal.final(final(id))));
    expect((await stored(journal.owner.id)).size).toBe(500);
    for (const id of ids) journal.acknowledge(id);
    await journal.close();
    expect(await listOthers(pool, randomUUID())).toEqual([]);
  });

  test('admits calls however many wait for a cell: the outbox of the cell limits them', async () => {
    const { journal } = await open();
    const ids = Array.from({ length: 100_000 }, () => randomUUID());
    for (const id of ids) journal.progress(id, NO_USAGE);
    expect(journal.admits).toBe(true);
    for (const id of ids) journal.acknowledge(id);
  });

  test('of an instance that another one has taken over is not written', async () => {
    const { journal, takenOver } = await open();
    const id = randomUUID();
    await journal.dispatched(call(id), 10);
    await takeOver(pool, { id: journal.owner.id, beats: 0n });
    await expect(journal.final(final(id))).rejects.toThrow('taken over');
    expect([takenOver(), journal.admits]).toEqual([true, false]);
    expect((await stored(journal.owner.id)).get(id)?.final).toBeNull();
    await expect(journal.dispatched(call(randomUUID()), 10)).rejects.toThrow('taken over');
  });

  test('notices at a heartbeat that another instance has taken it over', async () => {
    const { journal, takenOver } = await open();
    await journal.beat();
    expect(takenOver()).toBe(false);
    await takeOver(pool, { id: journal.owner.id, beats: 1n });
    await journal.beat();
    expect(takenOver()).toBe(true);
  });

  test('is taken over from an owner that has not beaten since it was seen', async () => {
    const { journal } = await open();
    await journal.beat();
    expect(await takeOver(pool, { id: journal.owner.id, beats: 0n })).toBeUndefined();
    expect(await takeOver(pool, { id: journal.owner.id, beats: 1n })).toEqual({
      id: journal.owner.id,
      epoch: 2n,
    });
  });

  test.each([
    ['at once if it has stopped', true],
    ['after its lease if it was killed', false],
  ])(
    'of another instance is ended %s',
    async (_, stops) => {
      const { journal: dead } = await open();
      const [ended, cut, sent, unknown] = Array.from({ length: 4 }, () => randomUUID());
      for (const id of [ended, cut, sent]) await dead.dispatched(call(id!), 10);
      dead.progress(cut!, { ...NO_USAGE, input: 10, output: 4 });
      await dead.final(final(ended!));
      if (stops) await dead.close();

      const { journal } = await open();
      const events = new Map<string, UsageEvent>();
      const outbox = { add: (event: UsageEvent) => void events.set(event.requestId, event) };
      const successor = new JournalSuccessor({
        journal,
        pool,
        // One hold of the dead owner, which its journal does not know.
        cells: new Cells(cellBilling('', [unknown!])),
        outbox,
        log,
        onTakenOver: () => {},
      });
      closing.push(() => successor.stop());
      await until(async () => (await listOthers(pool, journal.owner.id)).length === 0, TAKEN_OVER_WITHIN_MS);
      expect(
        [ended, cut, sent, unknown].map((id) => {
          const { outcome, costNano, usageSource } = events.get(id!)!;
          return [outcome, costNano, usageSource];
        }),
      ).toEqual([
        ['USAGE_OUTCOME_SETTLED', '20000', 'USAGE_SOURCE_PROVIDER'],
        ['USAGE_OUTCOME_SETTLED', '26000', 'USAGE_SOURCE_RECOVERED'],
        ['USAGE_OUTCOME_SETTLED', '10000', 'USAGE_SOURCE_RECOVERED'],
        ['USAGE_OUTCOME_RELEASED', '0', expect.anything()],
      ]);
      // Until billing has them, they are this instance's.
      expect(new Set((await stored(journal.owner.id)).keys())).toEqual(new Set(events.keys()));
    },
    60_000,
  );

  test('of several other instances are each ended while the billing of a cell does not answer', async () => {
    const ids: string[] = [];
    for (let dead = 0; dead < 2; dead++) {
      const { journal } = await open();
      const id = randomUUID();
      await journal.dispatched(call(id), 10);
      await journal.close();
      ids.push(id);
    }
    const { journal } = await open();
    const ended: string[] = [];
    const successor = new JournalSuccessor({
      journal,
      pool,
      cells: new Cells(cellBilling('', []), new Map([['b', cellBilling('b', undefined)]])),
      outbox: { add: ({ requestId }: UsageEvent) => void ended.push(requestId) },
      log,
      onTakenOver: () => {},
    });
    closing.push(() => successor.stop());
    await until(() => ids.every((id) => ended.includes(id)));
    // Until every cell has answered, the owners stay, and heartbeats keep other instances from taking them over.
    const seen = await listOthers(pool, journal.owner.id);
    expect(seen).toHaveLength(2);
    await until(async () => {
      const now = new Map((await listOthers(pool, journal.owner.id)).map(({ id, beats }) => [id, beats]));
      return seen.every(({ id, beats }) => now.get(id)! > beats);
    });
  });
});
