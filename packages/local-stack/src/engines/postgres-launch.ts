import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freeLoopbackPort } from './loopback-ports';
import type { PostgresBinaries } from './postgres-binaries';
import { servesLocation } from './postgres-connection';
import type { PostgresLocation } from './postgres-location';
import { type Postmaster, stopPostmaster } from './postgres-postmaster';
import { postgresArguments } from './postgres-settings';
import { identify, isAlive } from './process-identity';
import { waitUntil } from './wait-until';

const READY_TIMEOUT_MS = 30_000;
const PORT_TRIES = 5;
const LOG_LIMIT_BYTES = 8 << 20;

/** Starts the server and waits until it is ready. Tries another port if the chosen one is in use. */
export async function launchPostgres(
  binaries: PostgresBinaries,
  location: PostgresLocation,
): Promise<Postmaster> {
  const logFile = join(location.home, 'postgres.log');
  rotate(logFile);
  for (let attempt = 1; ; attempt++) {
    const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    const port = await freeLoopbackPort(attempt === 1 ? location.port : undefined);
    const postmaster = await launchOn(port, binaries, location, logFile);
    if (postmaster) return postmaster;
    const log = readFileSync(logFile).subarray(logStart).toString();
    if (attempt < PORT_TRIES && log.includes('could not bind')) continue;
    throw new Error(`PostgreSQL did not start (${logFile}): ${log.trim().split('\n').slice(-5).join(' | ')}`);
  }
}

async function launchOn(
  port: number,
  binaries: PostgresBinaries,
  location: PostgresLocation,
  logFile: string,
): Promise<Postmaster | undefined> {
  const child = await spawnPostgres(
    binaries,
    postgresArguments(binaries, location.data, port),
    location,
    logFile,
  );
  const process = identify(child.pid ?? 0);
  if (process === undefined) return undefined;
  let ready = false;
  await waitUntil(async () => {
    ready = await servesLocation(location, port);
    return ready || !isAlive(process);
  }, READY_TIMEOUT_MS);
  if (ready) return { process, port };
  await stopPostmaster(process, location.data);
  return undefined;
}

/** Starts the server in a new process group, so that Ctrl-C does not stop it while the services drain. */
async function spawnPostgres(
  { bin }: PostgresBinaries,
  args: string[],
  { user }: PostgresLocation,
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
