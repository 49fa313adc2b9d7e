import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Identifies a process; its pid alone may be reused. */
export interface ProcessLife {
  readonly pid: number;
  readonly startedAt: string;
}

interface Stat extends ProcessLife {
  readonly parent: number;
}

/** Returns the process and its descendants, from Linux's /proc. */
export function familyOf(pid: number): ProcessLife[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const family = all.filter((one) => one.pid === pid);
  for (const member of family) family.push(...all.filter((one) => one.parent === member.pid));
  return family;
}

/** Waits until all of them have ended. @throws with those still running */
export async function allGone(processes: readonly ProcessLife[], timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const living = processes.filter(({ pid, startedAt }) => statOf(pid)?.startedAt === startedAt);
    if (living.length === 0) return;
    if (performance.now() > deadlineMs) {
      const names = living.map(({ pid }) => `${pid} ${commandOf(pid)}`).join('; ');
      throw new Error(`still there after ${timeoutMs} ms: ${names}`);
    }
    await sleep(50);
  }
}

/** Undefined for a process that has ended, including zombies. */
function statOf(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
