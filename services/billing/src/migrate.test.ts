import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitMigrations, createPool, migrate, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

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

test('a migration, or waiting for one, may take longer than the statement timeout', async () => {
  writeFileSync(join(directory, '0001-slow.sql'), 'SELECT pg_sleep(0.5); CREATE TABLE slow.made ()');
  const run = () => migrate({ pool, schema: 'slow', directory, log });
  await Promise.all([run(), run()]);
  const { rows } = await pool.query('SELECT number, name FROM slow.migrations');
  expect(rows).toEqual([{ number: 1, name: '0001-slow.sql' }]);
  await expect(pool.query('SELECT pg_sleep(0.5)')).rejects.toMatchObject({ code: '57014' });
});

test('rejects two migrations with the same number', async () => {
  writeFileSync(join(directory, '0001-other.sql'), 'SELECT 1');
  await expect(migrate({ pool, schema: 'twice', directory, log })).rejects.toThrow('out of sequence');
});

describe('a schema', () => {
  const make = (files: Record<string, string>) => {
    const version = mkdtempSync(join(directory, 'version-'));
    for (const [name, sql] of Object.entries(files)) writeFileSync(join(version, name), sql);
    return version;
  };

  test('migrated by a newer version keeps its privileges when an older version starts', async () => {
    const role = `${new URL(database.url).pathname.slice(1)}_billing`;
    await pool.query(`CREATE ROLE ${role}`);
    const first = {
      '0001-a.sql': 'CREATE TABLE newer.a ()',
      'grants.sql': 'GRANT SELECT ON newer.a TO :"service"',
    };
    const older = make(first);
    const newer = make({
      ...first,
      '0002-b.sql': 'CREATE TABLE newer.b ()',
      'grants.sql': 'GRANT INSERT ON newer.a, newer.b TO :"service"',
    });
    const granted = async () => {
      const { rows } = await pool.query(
        `SELECT c.relname || ' ' || privilege_type AS granted
         FROM pg_class c, LATERAL aclexplode(relacl) JOIN pg_roles r ON r.oid = grantee
         WHERE relnamespace = 'newer'::regnamespace AND rolname = $1 AND relname <> 'migrations' ORDER BY 1`,
        [role],
      );
      return rows.map((row) => row.granted);
    };
    const run = (from: string) => migrate({ pool, schema: 'newer', directory: from, role, log });
    await run(older);
    expect(await granted()).toEqual(['a SELECT']);
    await run(newer);
    expect(await granted()).toEqual(['a INSERT', 'b INSERT']);
    await run(older);
    expect(await granted()).toEqual(['a INSERT', 'b INSERT']);
  });

  test('that is not migrated yet is waited for until the deadline', async () => {
    const version = make({ '0001-a.sql': 'CREATE TABLE awaited.a ()' });
    const wait = (timeoutMs: number) =>
      awaitMigrations({ pool, schema: 'awaited', directory: version, log, timeoutMs });
    await expect(wait(0)).rejects.toThrow('relation "awaited.migrations" does not exist');
    const waiting = wait(20_000);
    await migrate({ pool, schema: 'awaited', directory: version, log });
    await waiting;
    writeFileSync(join(version, '0002-b.sql'), 'CREATE TABLE awaited.b ()');
    await expect(wait(0)).rejects.toThrow('schema awaited is at migration 1, this version needs 2');
  });

  test('with a breaking migration of a newer version is rejected at once', async () => {
    const first = { '0001-a.sql': 'CREATE TABLE broken.a ()' };
    const newer = make({ ...first, '0002-b.sql': '--! breaking\nDROP TABLE broken.a' });
    await migrate({ pool, schema: 'broken', directory: newer, log });
    await expect(awaitMigrations({ pool, schema: 'broken', directory: make(first), log })).rejects.toThrow(
      'schema broken is at migration 2; this build supports up to 1',
    );
  });
});
