import { peakResidentBytes, proportionalSetBytes } from './process-memory';
import { processTree, readProcessStat } from './process-stat';

/** One line of the report: a process, or several that are one thing. */
export interface ProcessGroup {
  readonly name: string;
  readonly pids: () => readonly number[];
}

export interface MemoryFigures {
  readonly pssBytes: number;
  /** The sum of every process's own peak; memory they share counts in each. */
  readonly peakBytes: number;
}

export const oneProcess = (name: string, pid: () => number): ProcessGroup => ({ name, pids: () => [pid()] });

/** With what it has started, which may come and go. */
export const withChildren = (name: string, pid: () => number): ProcessGroup => ({
  name,
  pids: () => processTree(pid()),
});

/** CPU time used so far. */
export function cpuUs(group: ProcessGroup): number {
  let sum = 0;
  for (const [index, pid] of group.pids().entries()) {
    const stat = readProcessStat(pid);
    if (!stat && index === 0) throw new Error(`${group.name} is gone`);
    sum += stat?.cpuUs ?? 0;
    // Children that have ended live on in their parent's figures.
    if (index === 0) sum += stat?.childrenCpuUs ?? 0;
  }
  return sum;
}

export function memoryOf(group: ProcessGroup): MemoryFigures {
  const pids = group.pids();
  const sum = (read: (pid: number) => number) => pids.reduce((total, pid) => total + read(pid), 0);
  return { pssBytes: sum(proportionalSetBytes), peakBytes: sum(peakResidentBytes) };
}
