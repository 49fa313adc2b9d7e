import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyOrder, LoadResult } from './load/load-contract';
import type { LoadGenerator } from './load/load-generator';
import { readCpu, usedCpuUs } from './procfs/cpu-reading';
import type { ProcessGroup } from './procfs/process-group';

/** One run of the generator. */
export interface Round extends LoadResult {
  /** On the clock of CPU profiles. */
  readonly window: { readonly fromUs: number; readonly toUs: number };
  /** By process. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** Work that outlives the calls, settlement above all, belongs to them. */
const AFTERWORK_MS = 500;

/** @param groups processes whose CPU is told apart */
export async function measure(
  order: AnyOrder,
  generator: LoadGenerator,
  groups: readonly ProcessGroup[],
): Promise<Round> {
  const before = groups.map(readCpu);
  const fromUs = monotonicUs();
  const result = await generator.run(order);
  await sleep(AFTERWORK_MS);
  const used = groups.map((group, index) => [group.name, usedCpuUs(before[index]!, readCpu(group))] as const);
  return { ...result, window: { fromUs, toUs: monotonicUs() }, cpuUs: Object.fromEntries(used) };
}

const monotonicUs = () => Number(process.hrtime.bigint() / 1_000n);
