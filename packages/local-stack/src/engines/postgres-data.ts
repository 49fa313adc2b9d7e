import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './postgres-binaries';
import type { PostgresLocation } from './postgres-location';

export const POSTGRES_USER = 'gateway';
const INIT_TIMEOUT_MS = 60_000;
const runFile = promisify(execFile);

/** Creates the data folder if it is missing. It is renamed last, so that an interruption leaves no incomplete data. */
export async function initPostgresData({ bin }: PostgresBinaries, location: PostgresLocation): Promise<void> {
  const { home, data, user, password } = location;
  if (existsSync(data)) return;
  for (const name of readdirSync(home)) {
    if (name.startsWith('init-')) rmSync(join(home, name), { recursive: true, force: true });
  }
  const work = join(home, `init-${process.pid}`);
  mkdirSync(work, { mode: 0o700 });
  const passwordFile = join(work, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  // The owner of the folder is changed last, because its new owner could redirect our writes.
  if (user) for (const path of [passwordFile, work]) chownSync(path, user.uid, user.gid);
  const created = join(work, 'data');
  const access = ['--username', POSTGRES_USER, '--auth', 'scram-sha-256', '--pwfile', passwordFile];
  const format = ['--encoding', 'UTF8', '--no-locale', '--no-instructions'];
  await runFile(join(bin, 'initdb'), ['-D', created, ...access, ...format], {
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    timeout: INIT_TIMEOUT_MS,
    ...user,
  });
  renameSync(created, data);
  rmSync(work, { recursive: true });
}

/** Renames abandoned data instead of deleting it, and returns the new path. Replaces earlier abandoned data. */
export function moveDataAside({ data }: PostgresLocation): string {
  const aside = `${data}.before`;
  rmSync(aside, { recursive: true, force: true });
  renameSync(data, aside);
  return aside;
}
