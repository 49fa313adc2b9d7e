import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  /** CPU time of all its threads, including ended ones. */
  readonly cpuUs: number;
  /** CPU time of its ended child processes. */
  readonly childrenCpuUs: number;
}

/** Duration of a clock tick in /proc (USER_HZ), independent of the kernel's own tick rate. */
export const US_PER_TICK = 10_000;

/** Returns undefined if there is no such process. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name before the parenthesis may contain any characters.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number) => Number(fields[index]) * US_PER_TICK;
  return {
    pid,
    parentPid: Number(fields[1]),
    cpuUs: ticks(11) + ticks(12),
    childrenCpuUs: ticks(13) + ticks(14),
  };
}

/** Returns the pids of a process and all its descendants; the process is first. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readProcessStat(Number(name)) : undefined;
    if (!stat) continue;
    const siblings = children.get(stat.parentPid);
    if (siblings) siblings.push(stat.pid);
    else children.set(stat.parentPid, [stat.pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}
