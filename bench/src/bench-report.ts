import type { Environment } from './environment';
import type { MoneyCheck } from './gateway/check-money';
import type { Round } from './measure';
import type { MemoryLine } from './memory';
import type { BenchOptions } from './options';
import type { ScenarioName } from './scenarios';
import type { TargetName } from './targets';

export interface ScenarioRounds {
  readonly name: ScenarioName;
  readonly title: string;
  readonly stream: boolean;
  readonly rounds: readonly Readonly<Record<TargetName, Round>>[];
}

/** Everything that was measured, nothing yet worked out. */
export interface BenchReport {
  readonly environment: Environment;
  readonly options: BenchOptions;
  /** The whole stack soon after its start, nobody calling. */
  readonly idle: readonly MemoryLine[];
  readonly scenarios: readonly ScenarioRounds[];
  /** After all scenarios, the bare proxy and the generator too. */
  readonly loaded: readonly MemoryLine[];
  /** Absent when no calls were made. */
  readonly money: MoneyCheck | undefined;
}
