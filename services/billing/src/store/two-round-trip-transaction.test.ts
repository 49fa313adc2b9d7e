import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rowsOf, statement } from './statement';
import type { StatementBatch } from './statement-batch';
import { CommitInDoubt, inTwoRoundTrips } from './two-round-trip-transaction';

const NOTE = statement('note', 'INSERT INTO notes VALUES ($1)');

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, log: createLogger('test', 'silent'), maxConnections: 1 });
  await pool.query('CREATE TABLE notes (note text UNIQUE DEFERRABLE INITIALLY DEFERRED)');
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const notes = async () =>
  (await pool.query<{ note: string }>('SELECT note FROM notes ORDER BY note')).rows.map(({ note }) => note);

const writing = (write: (batch: StatementBatch) => Promise<unknown>[], result = () => 'done') =>
  inTwoRoundTrips(pool, { read: () => [], decide: () => ({ result, write }) });

test('what is written is there when it resolves', async () => {
  await expect(writing((batch) => [rowsOf(batch, NOTE, ['one'])])).resolves.toBe('done');
  expect(await notes()).toEqual(['one']);
});

test('a write that throws before all is added leaves nothing', async () => {
  const thrown = new Error('no columns');
  const half = writing((batch) => {
    void rowsOf(batch, NOTE, ['half']);
    throw thrown;
  });
  // As it is: a commit in doubt would be another.
  await expect(half).rejects.toBe(thrown);
  expect(await notes()).toEqual(['one']);
});

test('a commit that is refused is an error, and no doubt', async () => {
  const twice = writing((batch) => [rowsOf(batch, NOTE, ['one'])]);
  await expect(twice).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual(['one']);
});

test('the result is worked out while the commit is on its way', async () => {
  let sent: StatementBatch | undefined;
  const order: string[] = [];
  await writing(
    (batch) => {
      sent = batch;
      return [rowsOf(batch, NOTE, ['two']).then(() => order.push('committed'))];
    },
    () => {
      // What is sent takes nothing more.
      expect(() => rowsOf(sent!, NOTE, ['late'])).toThrow('too late');
      order.push('result');
      return 'done';
    },
  );
  expect(order).toEqual(['result', 'committed']);
});

test('without a result the commit is in doubt, unless it was refused', async () => {
  const noResult = () => {
    throw new Error('no result');
  };
  const unknown = writing((batch) => [rowsOf(batch, NOTE, ['three'])], noResult);
  await expect(unknown).rejects.toThrow(CommitInDoubt);
  expect(await notes()).toEqual(['one', 'three', 'two']);
  await expect(writing((batch) => [rowsOf(batch, NOTE, ['one'])], noResult)).rejects.toMatchObject({
    code: '23505',
  });
});
