import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { arrayLiteral, type Element } from './array-literal';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const readBack = async (type: string, values: readonly Element[]) => {
  const { rows } = await pool.query(`SELECT $1::${type}[] AS read`, [arrayLiteral(values)]);
  return rows[0].read;
};

test('PostgreSQL reads back the same values', async () => {
  const texts = [
    'plain',
    'a.b/c:d@e+f-g',
    '',
    ' ',
    'null',
    'NULL',
    'Null',
    null,
    'a,b',
    '{}',
    '{a}',
    '"',
    '\\',
  ];
  const harder = [
    '\\"',
    'a"b\\c',
    '\n\t',
    'ünï',
    '日本',
    '😀',
    "'",
    '$1',
    '%s',
    '\\N',
    '-',
    '()',
    '[1:2]={1,2}',
  ];
  expect(await readBack('text', [...texts, ...harder])).toEqual([...texts, ...harder]);
  const extremes = [0n, null, -(2n ** 63n), 2n ** 63n - 1n];
  expect(await readBack('bigint', extremes)).toEqual(extremes.map((value) => value?.toString() ?? null));
  expect(await readBack('int', [1, -2])).toEqual([1, -2]);
  expect(await readBack('boolean', [true, false, null])).toEqual([true, false, null]);
  expect(await readBack('text', [])).toEqual([]);
  expect(await readBack('text', [''])).toEqual(['']);
});

test('PostgreSQL reads back the same bytes', async () => {
  const bytes = [Buffer.from([0, 1, 0x5c, 0x22, 0xff]), Buffer.alloc(0), null];
  expect(await readBack('bytea', bytes)).toEqual(bytes);
});
