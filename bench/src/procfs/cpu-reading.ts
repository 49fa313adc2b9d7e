import type { ProcessGroup } from './process-group';
import { readProcessStat, US_PER_TICK } from './process-stat';
import { threadTimesNs } from './thread-times';

/** CPU time used so far, told in two ways: by whole ticks, and to the nanosecond. */
export interface CpuReading {
  /** Of threads and children that have ended too. */
  readonly tickedUs: number;
  /** What the ticks of two readings may say too much: user and system time are each cut to whole ones. */
  readonly slackUs: number;
  /** Of threads that have not ended. */
  readonly threadsNs: ReadonlyMap<string, number>;
}

export function readCpu(group: ProcessGroup): CpuReading {
  const pids = group.pids();
  const threadsNs = new Map<string, number>();
  let tickedUs = 0;
  for (const [index, pid] of pids.entries()) {
    const stat = readProcessStat(pid);
    if (!stat && index === 0) throw new Error(`${group.name} is gone`);
    tickedUs += stat?.cpuUs ?? 0;
    // Children that have ended live on in their parent's figures.
    if (index === 0) tickedUs += stat?.childrenCpuUs ?? 0;
    for (const [thread, ns] of threadTimesNs(pid)) threadsNs.set(thread, ns);
  }
  return { tickedUs, slackUs: 2 * US_PER_TICK * pids.length, threadsNs };
}

/**
 * By the nanosecond. By ticks, when a thread ended meanwhile and took its figure along, or when there are too many of
 * them to be explained otherwise: then a thread came and went.
 */
export function usedCpuUs(before: CpuReading, after: CpuReading): number {
  const tickedUs = after.tickedUs - before.tickedUs;
  let ns = 0;
  for (const [thread, soFar] of after.threadsNs) ns += soFar - (before.threadsNs.get(thread) ?? 0);
  const exactUs = ns / 1_000;
  const ended = [...before.threadsNs.keys()].some((thread) => !after.threadsNs.has(thread));
  return ended || tickedUs - exactUs > after.slackUs ? tickedUs : exactUs;
}
