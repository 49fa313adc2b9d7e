import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process by pid and start time, because pids are reused. */
export interface ProcessIdentity {
  pid: number;
  startId: string;
}

/** Returns the system's start time of the process; undefined if it has ended or is a zombie. */
function startIdOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return startIdFromPs(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startIdFromPs(pid: number): string | undefined {
  const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  return text === '' || text.startsWith('Z') ? undefined : text.replace(/^\S+\s+/, '');
}

export function identify(pid: number): ProcessIdentity | undefined {
  const startId = startIdOf(pid);
  return startId === undefined ? undefined : { pid, startId };
}

export function isAlive({ pid, startId }: ProcessIdentity): boolean {
  return startIdOf(pid) === startId;
}

/** Sends a signal; ignores a process that has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
