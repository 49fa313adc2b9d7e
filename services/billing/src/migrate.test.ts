import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createPool, migrate, type Pool } from '@gateway/runtime';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../deploy/local/src/testing/test-database';

const log = createLogger('test', 'silent');
let database: TestDatabase;
let pool: Pool;
let directory: string;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, log, statementTimeoutMs: 200 });
  directory = mkdtempSync(join(tmpdir(), 'migrations-'));
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
  if (directory) rmSync(directory, { recursive: true });
}, 60_000);

test('a migration may take longer than a statement, and so may the wait for one', async () => {
  writeFileSync(join(directory, '0001-slow.sql'), 'SELECT pg_sleep(0.5); CREATE TABLE slow.made ()');
  const run = () => migrate({ pool, schema: 'slow', directory, log });
  await Promise.all([run(), run()]);
  const { rows } = await pool.query('SELECT number, name FROM slow.migrations');
  expect(rows).toEqual([{ number: 1, name: '0001-slow.sql' }]);
  await expect(pool.query('SELECT pg_sleep(0.5)')).rejects.toMatchObject({ code: '57014' });
});

test('two migrations of one number are refused', async () => {
  writeFileSync(join(directory, '0001-other.sql'), 'SELECT 1');
  await expect(migrate({ pool, schema: 'twice', directory, log })).rejects.toThrow('out of sequence');
});
