import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Identifies a process; its pid alone may be reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

interface Stat extends ProcessIdentity {
  readonly parent: number;
}

/** Returns the process and its descendants, from Linux's /proc. */
export function processTree(pid: number): ProcessIdentity[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const tree = all.filter((one) => one.pid === pid);
  for (const member of tree) tree.push(...all.filter((one) => one.parent === member.pid));
  return tree;
}

/** Waits until all processes have ended. @throws with those still running */
export async function waitUntilEnded(
  processes: readonly ProcessIdentity[],
  timeoutMs: number,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const running = processes.filter(({ pid, startedAt }) => statOf(pid)?.startedAt === startedAt);
    if (running.length === 0) return;
    if (performance.now() > deadlineMs) {
      const names = running.map(({ pid }) => `${pid} ${commandOf(pid)}`).join('; ');
      throw new Error(`still running after ${timeoutMs} ms: ${names}`);
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
