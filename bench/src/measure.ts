import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from './load/load-contract';
import type { LoadGenerator } from './load/load-generator';
import { cpuUs, type ProcessGroup } from './procfs/process-group';
import type { Scenario } from './scenarios';
import type { Target } from './targets';

/** One run of one scenario against one target. */
export interface Round extends LoadResult {
  /** On the clock of CPU profiles. */
  readonly window: { readonly fromUs: number; readonly toUs: number };
  /** By process; of the target's own and of those beside it. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** Work that outlives the calls, settlement above all, belongs to them. */
const AFTERWORK_MS = 500;

/** @param others processes beside the target whose CPU is told apart */
export async function measure(
  target: Target,
  scenario: Scenario,
  generator: LoadGenerator,
  others: readonly ProcessGroup[],
): Promise<Round> {
  const groups = [...target.processes, ...others];
  const before = groups.map(cpuUs);
  const fromUs = monotonicUs();
  const result = await generator.run(target.order(scenario));
  await sleep(AFTERWORK_MS);
  const used = groups.map((group, index) => [group.name, cpuUs(group) - (before[index] ?? 0)] as const);
  return { ...result, window: { fromUs, toUs: monotonicUs() }, cpuUs: Object.fromEntries(used) };
}

const monotonicUs = () => Number(process.hrtime.bigint() / 1_000n);
