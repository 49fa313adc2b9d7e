import { type MemoryFigures, memoryOf, type ProcessGroup } from './procfs/process-group';
import { processTree } from './procfs/process-stat';

export interface MemoryLine extends MemoryFigures {
  readonly name: string;
}

/** Returns the group of this process (with the embedded Redis) and its child processes that are in no other group. */
export function runnerGroup(named: () => readonly ProcessGroup[], withRedis: boolean): ProcessGroup {
  const pids = () => {
    const inOtherGroups = new Set(named().flatMap((group) => group.pids()));
    return processTree(process.pid).filter((pid) => !inOtherGroups.has(pid));
  };
  return { name: withRedis ? 'runner with Redis' : 'runner', pids };
}

export function readMemory(groups: readonly ProcessGroup[]): MemoryLine[] {
  return groups.map((group) => ({ name: group.name, ...memoryOf(group) }));
}

export const totalPssBytes = (lines: readonly MemoryLine[]): number =>
  lines.reduce((sum, { pssBytes }) => sum + pssBytes, 0);
