import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { startEmbeddedPostgres } from './embedded-postgres';
import { findPostmaster } from './postgres-postmaster';
import {
  homeOf,
  isRoot,
  killChild,
  makeDataDir,
  query,
  removeDataDir,
  startInChild,
  stopChild,
  UNPRIVILEGED_USER,
} from './testing/postgres-fixture';

jest.setTimeout(60_000);

const dataDirs: string[] = [];
const newDataDir = (mode: number, owner?: { uid: number; gid: number }) => {
  const dir = makeDataDir({ mode, ...(owner ? { owner } : {}) });
  dataDirs.push(dir);
  return dir;
};
const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, log: () => {} });

afterEach(async () => {
  for (const dir of dataDirs.splice(0)) await removeDataDir(dir);
});

describe('embedded PostgreSQL', () => {
  test.each([
    ['that other users can enter', 0o755],
    ['that other users cannot enter', 0o700],
  ])('keeps its data, address and password across restarts in a folder %s', async (_name, mode) => {
    const dataDir = newDataDir(mode);
    const first = await start(dataDir);
    await query(first.url, 'create table kept (n int)');
    await query(first.url, 'insert into kept values (42)');
    expect(await query(first.url, 'show synchronous_commit')).toEqual(['on']);
    await first.stop();
    await first.stop();
    expect(findPostmaster(join(homeOf(dataDir), 'data'))).toBeUndefined();

    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'select n from kept')).toEqual([42]);
    await expect(query(second.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
    expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(homeOf(dataDir), 'data')).mode & 0o777).toBe(0o700);
    await second.stop();
  });

  test('uses another port when its own is in use', async () => {
    const dataDir = newDataDir(0o755);
    const first = await start(dataDir);
    await first.stop();
    const blocker = createServer();
    const port = Number(new URL(first.url).port);
    await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve));
    const second = await start(dataDir);
    expect(new URL(second.url).port).not.toBe(String(port));
    expect(await query(second.url, 'select 1')).toEqual([1]);
    await second.stop();
    await new Promise((resolve) => blocker.close(resolve));
  });

  test('refuses to start twice on one data folder', async () => {
    const dataDir = newDataDir(0o755);
    const first = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(/already in use by process/);
    expect(await query(first.url, 'select 1')).toEqual([1]);
    await first.stop();
  });

  test('stops its server when the database cannot be created', async () => {
    const dataDir = newDataDir(0o755);
    const first = await start(dataDir);
    const other = new URL(first.url);
    other.pathname = '/postgres';
    await query(other.href, 'drop database gateway');
    await query(other.href, 'alter database template1 is_template false');
    await query(other.href, 'drop database template1');
    await first.stop();
    await expect(start(dataDir)).rejects.toThrow(/template1/);
    expect(findPostmaster(join(homeOf(dataDir), 'data'))).toBeUndefined();
  });
});

describe('embedded PostgreSQL after a kill', () => {
  test('of the server reports the exit, and the next start recovers on the same address', async () => {
    const dataDir = newDataDir(0o755);
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 7 as n');
    const exited = new Promise<void>((resolve) => first.onExit(resolve));
    process.kill(first.pid, 'SIGKILL');
    await exited;
    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select n from kept')).toEqual([7]);
    await second.stop();
  });

  test('of the starting process is adopted and stopped by the next starter', async () => {
    const dataDir = newDataDir(0o755);
    const { child, started } = await startInChild(dataDir);
    await query(started.url, 'create table kept as select 8 as n');
    await killChild(child);
    const second = await start(dataDir);
    expect(second.adopted).toBe(true);
    expect(second.pid).toBe(started.pid);
    expect(await query(second.url, 'select n from kept')).toEqual([8]);
    await second.stop();
    expect(findPostmaster(join(homeOf(dataDir), 'data'))).toBeUndefined();
  });

  test('of server and starter spares an unrelated process that the lock file names, and keeps the data', async () => {
    const dataDir = newDataDir(0o755);
    const { child, started } = await startInChild(dataDir);
    await query(started.url, 'create table kept as select 9 as n');
    process.kill(started.pid, 'SIGKILL');
    await killChild(child);
    const lock = join(homeOf(dataDir), 'data/postmaster.pid');
    writeFileSync(lock, `${process.pid}\n/elsewhere\n1\n5432\n`);
    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'select n from kept')).toEqual([9]);
    await second.stop();
  });

  (isRoot ? test : test.skip)(
    'of the starting process is not adopted when the data folder was emptied',
    async () => {
      const dataDir = newDataDir(0o700);
      const { child, started } = await startInChild(dataDir);
      await query(started.url, 'create table kept as select 1 as n');
      await killChild(child);
      rmSync(join(dataDir, 'postgres.json'));
      const second = await start(dataDir);
      expect(second.adopted).toBe(false);
      expect(second.pid).not.toBe(started.pid);
      await expect(query(second.url, 'select n from kept')).rejects.toThrow(/kept/);
      expect(existsSync(join(homeOf(dataDir), 'data.before'))).toBe(true);
      await second.stop();
    },
  );
});

(isRoot ? test : test.skip)('an unprivileged user can start it, be killed, and adopt it', async () => {
  const dataDir = newDataDir(0o700, UNPRIVILEGED_USER);
  const first = await startInChild(dataDir, UNPRIVILEGED_USER);
  expect(first.started.error).toBeUndefined();
  await query(first.started.url, 'create table kept as select 10 as n');
  await killChild(first.child);
  const second = await startInChild(dataDir, UNPRIVILEGED_USER);
  expect(second.started).toMatchObject({ pid: first.started.pid, adopted: true });
  expect(await query(second.started.url, 'select n from kept')).toEqual([10]);
  await stopChild(second.child);
  expect(findPostmaster(join(dataDir, 'postgres/data'))).toBeUndefined();
});
