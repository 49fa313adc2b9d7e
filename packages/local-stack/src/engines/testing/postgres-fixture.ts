import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client } from 'pg';
import { findPostmaster, stopPostmaster } from '../postgres-postmaster';

export const isRoot = process.getuid?.() === 0;
/** The user `nobody`, for tests that run as root but need another user. */
export const UNPRIVILEGED_USER = { uid: 65534, gid: 65534 };

/** Creates a data folder with that mode and owner. */
export function makeDataDir(options: { mode: number; owner?: { uid: number; gid: number } }): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-postgres-'));
  chmodSync(dir, options.mode);
  if (options.owner) chownSync(dir, options.owner.uid, options.owner.gid);
  return dir;
}

export function homeOf(dataDir: string): string {
  const { home } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { home: string };
  return resolve(dataDir, home);
}

/** Stops a server that the test left running, and removes its files. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const home = homeOf(dataDir);
  const left = findPostmaster(join(home, 'data'));
  if (left) await stopPostmaster(left.process, join(home, 'data'));
  rmSync(home, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

export interface Started {
  url: string;
  pid: number;
  adopted: boolean;
  error?: string;
}

/** Starts PostgreSQL in a child process, which a test may kill. */
export async function startInChild(
  dataDir: string,
  user?: { uid: number; gid: number },
): Promise<{ child: ChildProcess; started: Started }> {
  const script = join(dirname(__filename), 'start-postgres.cjs');
  const child = fork(script, [dataDir], {
    ...user,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [started] = (await once(child, 'message')) as [Started];
  return { child, started };
}

export async function killChild(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

export async function stopChild(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.send('stop');
  await exited;
}
