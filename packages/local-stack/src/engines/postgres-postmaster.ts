import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity, sendSignal } from './process-identity';
import { waitUntil } from './wait-until';

export interface Postmaster {
  process: ProcessIdentity;
  port: number;
}

/** Returns the server that `postmaster.pid` names if that process is a running PostgreSQL on this data folder. */
export function findPostmaster(data: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const process = identify(Number(lines[0]));
  if (process === undefined || !isPostgresOn(process.pid, data)) return undefined;
  return { process, port: Number(lines[3]) };
}

/** Stops the server: fast shutdown, then immediate shutdown, then SIGKILL. Takes at most 13 s. */
export async function stopPostmaster(postmaster: ProcessIdentity, data: string): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 8_000],
    ['SIGQUIT', 3_000],
    ['SIGKILL', 1_000],
  ];
  for (const [signal, timeoutMs] of steps) {
    if (isAlive(postmaster)) sendSignal(postmaster.pid, signal);
    if (await waitUntil(() => !isAlive(postmaster), timeoutMs)) break;
  }
  await stopBackends(data);
}

/**
 * Waits for the backends of the server to exit, and kills those that do not. Backends briefly outlive a killed postmaster; a new
 * server would corrupt the data meanwhile, and without `postmaster.pid` PostgreSQL does not prevent that.
 */
export async function stopBackends(data: string): Promise<void> {
  if (await waitUntil(() => postgresProcessesOn(data).length === 0, 2_000)) return;
  for (const pid of postgresProcessesOn(data)) sendSignal(pid, 'SIGKILL');
  const ended = await waitUntil(() => postgresProcessesOn(data).length === 0, 2_000);
  if (!ended)
    throw new Error(`PostgreSQL processes ${postgresProcessesOn(data).join(', ')} on ${data} do not exit`);
}

function postgresProcessesOn(data: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => isPostgresOn(pid, data));
}

function isPostgresOn(pid: number, data: string): boolean {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(data);
    }
    const isPostgres = readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
    return isPostgres && readlinkSync(`/proc/${pid}/cwd`) === data;
  } catch {
    return false;
  }
}
