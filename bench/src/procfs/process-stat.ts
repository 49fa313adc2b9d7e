import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  /** All its threads, also those that have ended. */
  readonly cpuUs: number;
  /** Of its ended children. */
  readonly childrenCpuUs: number;
}

/** The kernel's unit towards programs, whatever its own. */
export const US_PER_TICK = 10_000;

/** Undefined when there is no such process. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name before the parenthesis may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number) => Number(fields[index]) * US_PER_TICK;
  return {
    pid,
    parentPid: Number(fields[1]),
    cpuUs: ticks(11) + ticks(12),
    childrenCpuUs: ticks(13) + ticks(14),
  };
}

/** A process and all that it has started, itself first. */
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
