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

test('the promise resolves after the writes are committed', async () => {
  await expect(writing((batch) => [rowsOf(batch, NOTE, ['one'])])).resolves.toBe('done');
  expect(await notes()).toEqual(['one']);
});

test('a write function that throws halfway leaves nothing written', async () => {
  const thrown = new Error('no columns');
  const half = writing((batch) => {
    void rowsOf(batch, NOTE, ['half']);
    throw thrown;
  });
  // The same error object: a commit in doubt would be a different error.
  await expect(half).rejects.toBe(thrown);
  expect(await notes()).toEqual(['one']);
});

test('a rejected commit is reported as its own error, not as a commit in doubt', async () => {
  const twice = writing((batch) => [rowsOf(batch, NOTE, ['one'])]);
  await expect(twice).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual(['one']);
});

test('the result is computed while the commit is in flight', async () => {
  let sent: StatementBatch | undefined;
  const order: string[] = [];
  await writing(
    (batch) => {
      sent = batch;
      return [rowsOf(batch, NOTE, ['two']).then(() => order.push('committed'))];
    },
    () => {
      // A batch that was sent accepts no more statements.
      expect(() => rowsOf(sent!, NOTE, ['late'])).toThrow('too late');
      order.push('result');
      return 'done';
    },
  );
  expect(order).toEqual(['result', 'committed']);
});

test('a failing result leaves the commit in doubt, unless the commit was rejected', async () => {
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
