import type { ScenarioRounds } from '../bench-report';
import type { Round } from '../measure';
import type { TargetName } from '../targets';
import { median } from './median';

export interface TargetSummary {
  /** Units are calls, or chunks of streams. */
  readonly unitsPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** CPU of the target's own processes. */
  readonly cpuUsPerUnit: number;
  /** CPU of every measured process group. */
  readonly cpuUsPerUnitBy: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly errorSamples: readonly string[];
}

export interface ScenarioSummary {
  readonly bare: TargetSummary;
  readonly gateway: TargetSummary;
  /** CPU of the gateway divided by that of the bare proxy in the same round; the median. */
  readonly cpuRatio: number;
}

/** Processes that both targets use and that belong to neither. */
export const SHARED_PROCESSES: readonly string[] = [
  'PostgreSQL',
  'Redis',
  'runner with Redis',
  'runner',
  'simulator',
  'load generator',
];

/** Summarizes a scenario. Every figure is a median of rounds, so the figures of a target may not add up exactly. */
export function summarise({ stream, rounds }: ScenarioRounds): ScenarioSummary {
  const target = (name: TargetName) =>
    summariseTarget(
      rounds.map((round) => round[name]),
      stream,
    );
  const ratios = rounds.map(({ bare, gateway }) => ownCpuUs(gateway, stream) / ownCpuUs(bare, stream));
  return { bare: target('bare'), gateway: target('gateway'), cpuRatio: median(ratios) };
}

export function summariseTarget(rounds: readonly Round[], stream: boolean): TargetSummary {
  const of = (figure: (round: Round) => number) => median(rounds.map(figure));
  const names = Object.keys(rounds[0]?.cpuUs ?? {});
  return {
    unitsPerSecond: of((round) => (units(round, stream) * 1_000) / round.elapsedMs),
    p50Ms: of((round) => round.p50Ms),
    p95Ms: of((round) => round.p95Ms),
    p99Ms: of((round) => round.p99Ms),
    cpuUsPerUnit: of((round) => ownCpuUs(round, stream)),
    cpuUsPerUnitBy: Object.fromEntries(
      names.map((name) => [name, of((round) => (round.cpuUs[name] ?? 0) / units(round, stream))]),
    ),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    errorSamples: rounds.flatMap(({ errorSamples }) => errorSamples),
  };
}

const units = (round: Round, stream: boolean): number => (stream ? round.chunks : round.calls);

function ownCpuUs(round: Round, stream: boolean): number {
  const own = Object.entries(round.cpuUs).filter(([name]) => !SHARED_PROCESSES.includes(name));
  return own.reduce((sum, [, us]) => sum + us, 0) / units(round, stream);
}
