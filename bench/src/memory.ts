import { type MemoryFigures, memoryOf, type ProcessGroup } from './procfs/process-group';
import { processTree } from './procfs/process-stat';

export interface MemoryLine extends MemoryFigures {
  readonly name: string;
}

/** This process, in which an embedded Redis runs, and the small ones it has started beside those named. */
export function runnerGroup(named: () => readonly ProcessGroup[], withRedis: boolean): ProcessGroup {
  const pids = () => {
    const taken = new Set(named().flatMap((group) => group.pids()));
    return processTree(process.pid).filter((pid) => !taken.has(pid));
  };
  return { name: withRedis ? 'runner with Redis' : 'runner', pids };
}

export function readMemory(groups: readonly ProcessGroup[]): MemoryLine[] {
  return groups.map((group) => ({ name: group.name, ...memoryOf(group) }));
}

export const totalPssBytes = (lines: readonly MemoryLine[]): number =>
  lines.reduce((sum, { pssBytes }) => sum + pssBytes, 0);
