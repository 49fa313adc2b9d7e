import { peakResidentBytes, proportionalSetBytes } from './process-memory';
import { processTree } from './process-stat';

/** One line of the report: a process, or several that are counted as one. */
export interface ProcessGroup {
  readonly name: string;
  readonly pids: () => readonly number[];
}

export interface MemoryFigures {
  readonly pssBytes: number;
  /** Sum of the peaks of all processes; shared memory counts in each of them. */
  readonly peakBytes: number;
}

export const oneProcess = (name: string, pid: () => number): ProcessGroup => ({ name, pids: () => [pid()] });

/** A process and its current child processes. */
export const withChildren = (name: string, pid: () => number): ProcessGroup => ({
  name,
  pids: () => processTree(pid()),
});

export function memoryOf(group: ProcessGroup): MemoryFigures {
  const pids = group.pids();
  const sum = (read: (pid: number) => number) => pids.reduce((total, pid) => total + read(pid), 0);
  return { pssBytes: sum(proportionalSetBytes), peakBytes: sum(peakResidentBytes) };
}
