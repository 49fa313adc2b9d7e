import { createPool, type Pool, type PoolClient } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rowsOf, statement } from './statement';
import { StatementBatch } from './statement-batch';

const SUM = statement(
  'sum',
  'SELECT a + b AS sum, a, NULL::text AS nothing FROM unnest($1::int8[], $2::int8[]) AS n (a, b)',
);
const WORD = statement('word', 'SELECT $1::text AS word');
const NOTE = statement('note', 'INSERT INTO notes VALUES ($1)');
const NOTES = statement('notes', 'SELECT note FROM notes ORDER BY note');
const FAIL = statement('fail', 'SELECT 1 / $1::int AS one');
const BREAK = statement('break', 'SELECT pg_terminate_backend(pg_backend_pid())');

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, log: createLogger('test', 'silent'), maxConnections: 1 });
  await pool.query('CREATE TABLE notes (note text)');
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function sendTogether<Sent extends readonly Promise<unknown>[]>(send: (batch: StatementBatch) => Sent) {
  const client = await pool.connect();
  client.on('error', () => {});
  try {
    return await Promise.allSettled(submit(client, send));
  } finally {
    client.release(true);
  }
}

function submit<Sent extends readonly Promise<unknown>[]>(
  client: PoolClient,
  send: (batch: StatementBatch) => Sent,
): Sent {
  const batch = new StatementBatch(client);
  const sent = send(batch);
  client.query(batch);
  return sent;
}

test('each statement returns its own rows, whether or not it is prepared on the connection', async () => {
  const client = await pool.connect();
  try {
    for (const round of [1n, 2n, 3n]) {
      const sums = [
        { sum: round + 10n, a: round, nothing: null },
        { sum: 20n, a: 0n, nothing: null },
      ];
      await expect(
        Promise.all(
          submit(client, (batch) => [
            rowsOf(batch, SUM, [
              [round, 0n],
              [10n, 20n],
            ]),
            rowsOf(batch, NOTE, [`round ${round}`]),
            rowsOf(batch, WORD, ['first']),
            rowsOf(batch, SUM, [[], []]),
            rowsOf(batch, WORD, [null]),
          ]),
        ),
      ).resolves.toEqual([sums, [], [{ word: 'first' }], [], [{ word: null }]]);
      // The driver prepares the same statement itself when it is sent without a batch.
      await expect(rowsOf(client, WORD, ['alone'])).resolves.toEqual([{ word: 'alone' }]);
    }
    await expect(rowsOf(client, NOTES, [])).resolves.toHaveLength(3);
  } finally {
    client.release();
  }
});

test('an empty batch resolves', async () => {
  await expect(sendTogether(() => [])).resolves.toEqual([]);
});

test('an error rejects every statement of the batch, and later statements are not executed', async () => {
  const answers = await sendTogether((batch) => [
    rowsOf(batch, NOTE, ['before']),
    rowsOf(batch, FAIL, [0]),
    rowsOf(batch, NOTE, ['after']),
  ]);
  const divided = { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) };
  expect(answers).toEqual([divided, divided, divided]);
  const notes = await rowsOf<{ note: string }>(pool, NOTES, []);
  expect(notes.map(({ note }) => note)).not.toContain('after');
});

test('rejects a statement that is added after the batch was sent', async () => {
  const late = await sendTogether((batch) => [
    Promise.resolve().then(() => rowsOf(batch, NOTE, ['late'])),
    rowsOf(batch, WORD, ['in time']),
  ]);
  expect(late).toEqual([
    { status: 'rejected', reason: new Error('note came too late for its batch') },
    { status: 'fulfilled', value: [{ word: 'in time' }] },
  ]);
});

test('a row that cannot be parsed rejects the batch', async () => {
  const client = await pool.connect();
  try {
    client.setTypeParser(25, () => {
      throw new Error('unreadable');
    });
    const read = submit(client, (batch) => [rowsOf(batch, WORD, ['word']), rowsOf(batch, SUM, [[1n], [2n]])]);
    const unreadable = { status: 'rejected', reason: new Error('unreadable') };
    await expect(Promise.allSettled(read)).resolves.toEqual([unreadable, unreadable]);
  } finally {
    client.release(true);
  }
});

test('committing a failed transaction is an error', async () => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await expect(client.query('SELECT 1 / 0')).rejects.toThrow();
    const [committed] = submit(client, (batch) => [rowsOf(batch, statement('COMMIT', 'COMMIT'), [])]);
    await expect(committed).rejects.toThrow('the transaction was rolled back');
  } finally {
    client.release(true);
  }
});

test('a broken connection rejects every statement', async () => {
  const answers = await sendTogether((batch) => [rowsOf(batch, WORD, ['word']), rowsOf(batch, BREAK, [])]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
