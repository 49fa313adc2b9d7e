import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './postgres-binaries';
import type { PostgresPlace } from './postgres-place';

export const POSTGRES_USER = 'gateway';
const INIT_TIMEOUT_MS = 60_000;
const runFile = promisify(execFile);

/** Creates the data folder on the first start, under a temporary name, so that an interruption leaves nothing incomplete. */
export async function initPostgresData({ bin }: PostgresBinaries, place: PostgresPlace): Promise<void> {
  const { home, data, user, password } = place;
  if (existsSync(data)) return;
  for (const name of readdirSync(home)) {
    if (name.startsWith('init-')) rmSync(join(home, name), { recursive: true, force: true });
  }
  const work = join(home, `init-${process.pid}`);
  mkdirSync(work, { mode: 0o700 });
  const passwordFile = join(work, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  // Changes the owner of the folder last: as its owner, that user could redirect our writes.
  if (user) for (const path of [passwordFile, work]) chownSync(path, user.uid, user.gid);
  const made = join(work, 'data');
  const access = ['--username', POSTGRES_USER, '--auth', 'scram-sha-256', '--pwfile', passwordFile];
  const shape = ['--encoding', 'UTF8', '--no-locale', '--no-instructions'];
  await runFile(join(bin, 'initdb'), ['-D', made, ...access, ...shape], {
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    timeout: INIT_TIMEOUT_MS,
    ...user,
  });
  renameSync(made, data);
  rmSync(work, { recursive: true });
}

/** Keeps the last abandoned data next to the new data, in case its owner needs it. */
export function setDataAside({ data }: PostgresPlace): string {
  const aside = `${data}.before`;
  rmSync(aside, { recursive: true, force: true });
  renameSync(data, aside);
  return aside;
}
