import type { ProcessGroup } from './process-group';
import { readProcessStat, US_PER_TICK } from './process-stat';
import { threadTimesNs } from './thread-times';

/** CPU time used so far: in ticks, which include ended threads, and in nanoseconds per running thread. */
export interface CpuReading {
  /** Includes threads and child processes that have ended. */
  readonly tickUs: number;
  /** Error of the difference of two tick readings: user and system time are each rounded down to whole ticks. */
  readonly toleranceUs: number;
  /** By running thread. */
  readonly threadsNs: ReadonlyMap<string, number>;
}

export function readCpu(group: ProcessGroup): CpuReading {
  const pids = group.pids();
  const threadsNs = new Map<string, number>();
  let tickUs = 0;
  for (const [index, pid] of pids.entries()) {
    const stat = readProcessStat(pid);
    if (!stat && index === 0) throw new Error(`${group.name} has exited`);
    tickUs += stat?.cpuUs ?? 0;
    // The figures of the parent include child processes that have ended.
    if (index === 0) tickUs += stat?.childrenCpuUs ?? 0;
    for (const [thread, ns] of threadTimesNs(pid)) threadsNs.set(thread, ns);
  }
  return { tickUs, toleranceUs: 2 * US_PER_TICK * pids.length, threadsNs };
}

/**
 * Returns the CPU time used between two readings: exact if possible. In ticks if a thread has ended, whose exact time is lost,
 * or if the ticks exceed the exact time by more than the tolerance, because a thread has started and ended in between.
 */
export function usedCpuUs(before: CpuReading, after: CpuReading): number {
  const tickUs = after.tickUs - before.tickUs;
  let ns = 0;
  for (const [thread, soFar] of after.threadsNs) ns += soFar - (before.threadsNs.get(thread) ?? 0);
  const exactUs = ns / 1_000;
  const ended = [...before.threadsNs.keys()].some((thread) => !after.threadsNs.has(thread));
  return ended || tickUs - exactUs > after.toleranceUs ? tickUs : exactUs;
}
