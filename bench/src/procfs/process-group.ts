import { peakResidentBytes, proportionalSetBytes } from './process-memory';
import { processTree } from './process-stat';

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

export function memoryOf(group: ProcessGroup): MemoryFigures {
  const pids = group.pids();
  const sum = (read: (pid: number) => number) => pids.reduce((total, pid) => total + read(pid), 0);
  return { pssBytes: sum(proportionalSetBytes), peakBytes: sum(peakResidentBytes) };
}
