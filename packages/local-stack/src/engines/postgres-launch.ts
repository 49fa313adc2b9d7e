import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freeLoopbackPort } from './loopback-ports';
import type { PostgresBinaries } from './postgres-binaries';
import { answersForPlace } from './postgres-connection';
import type { PostgresPlace } from './postgres-place';
import { endPostmaster, type Postmaster } from './postgres-postmaster';
import { postgresArguments } from './postgres-settings';
import { identify, isAlive } from './process-identity';
import { waitUntil } from './wait-until';

const READY_TIMEOUT_MS = 30_000;
const PORT_TRIES = 5;
const LOG_LIMIT_BYTES = 8 << 20;

/** Starts the server and waits until it answers; uses another port if ours was taken meanwhile. */
export async function launchPostgres(binaries: PostgresBinaries, place: PostgresPlace): Promise<Postmaster> {
  const logFile = join(place.home, 'postgres.log');
  rotate(logFile);
  for (let attempt = 1; ; attempt++) {
    const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    const port = await freeLoopbackPort(attempt === 1 ? place.port : undefined);
    const postmaster = await launchOn(port, binaries, place, logFile);
    if (postmaster) return postmaster;
    const log = readFileSync(logFile).subarray(logStart).toString();
    if (attempt < PORT_TRIES && log.includes('could not bind')) continue;
    throw new Error(`PostgreSQL did not start (${logFile}): ${log.trim().split('\n').slice(-5).join(' | ')}`);
  }
}

async function launchOn(
  port: number,
  binaries: PostgresBinaries,
  place: PostgresPlace,
  logFile: string,
): Promise<Postmaster | undefined> {
  const child = await spawnPostgres(binaries, postgresArguments(binaries, place.data, port), place, logFile);
  const process = identify(child.pid ?? 0);
  if (process === undefined) return undefined;
  let ready = false;
  await waitUntil(async () => {
    ready = await answersForPlace(place, port);
    return ready || !isAlive(process);
  }, READY_TIMEOUT_MS);
  if (ready) return { process, port };
  await endPostmaster(process, place.data);
  return undefined;
}

/** Uses a process group of its own, because Ctrl-C must not end it while the services drain. */
async function spawnPostgres(
  { bin }: PostgresBinaries,
  args: string[],
  { user }: PostgresPlace,
  logFile: string,
): Promise<ChildProcess> {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(join(bin, 'postgres'), args, {
      cwd: '/',
      detached: true,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      stdio: ['ignore', log, log],
      ...user,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve).once('error', reject);
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

function rotate(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
}
