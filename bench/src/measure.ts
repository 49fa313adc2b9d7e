import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadJob, LoadResult } from './load/load-contract';
import type { LoadGenerator } from './load/load-generator';
import { readCpu, usedCpuUs } from './procfs/cpu-reading';
import type { ProcessGroup } from './procfs/process-group';

/** One run of the generator, with the CPU that processes used. */
export interface Round extends LoadResult {
  /** Start and end on the clock of CPU profiles. */
  readonly window: { readonly fromUs: number; readonly toUs: number };
  /** CPU time by process group. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** Work after the calls, mainly settlement, is included in their CPU. */
const SETTLEMENT_WAIT_MS = 500;

/**
 * Runs a job and measures the CPU of each group.
 * @param groups the processes to measure
 */
export async function measure(
  job: LoadJob,
  generator: LoadGenerator,
  groups: readonly ProcessGroup[],
): Promise<Round> {
  const before = groups.map(readCpu);
  const fromUs = monotonicUs();
  const result = await generator.run(job);
  await sleep(SETTLEMENT_WAIT_MS);
  const used = groups.map((group, index) => [group.name, usedCpuUs(before[index]!, readCpu(group))] as const);
  return { ...result, window: { fromUs, toUs: monotonicUs() }, cpuUs: Object.fromEntries(used) };
}

const monotonicUs = () => Number(process.hrtime.bigint() / 1_000n);
