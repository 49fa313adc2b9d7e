import type { TranslationGroup } from '../bench-report';
import { percentile } from '../load/percentile';
import type { Round } from '../measure';
import { median } from './median';
import { summariseTarget, type TargetSummary } from './scenario-summary';

export interface RouteSummary extends TargetSummary {
  readonly title: string;
  readonly translated: boolean;
  /** Median of the CPU of all services minus that of the pass-through rounds; for a pass-through route, minus that of the first. */
  readonly addedCpuUs: number;
  /** First and third quartile of these differences. */
  readonly addedCpuUsQuartiles: readonly [number, number];
  /** The same for the CPU of chat only. */
  readonly addedChatCpuUs: number;
}

const CHAT = 'chat';

/** Summarizes a group: medians of the rounds, and of the differences to the pass-through rounds. */
export function summariseTranslation({ stream, routes }: TranslationGroup): RouteSummary[] {
  const passThrough = routes.filter(({ translated }) => !translated);
  return routes.map(({ title, translated, rounds }) => {
    const baselines = translated ? passThrough : passThrough.slice(0, 1);
    const differences = (cpuUs: (round: Round) => number) =>
      rounds.map(
        (round, index) => cpuUs(round) - mean(baselines.map((other) => cpuUs(other.rounds[index]!))),
      );
    const added = differences((round) => allCpuUs(round, stream)).sort((one, other) => one - other);
    return {
      ...summariseTarget(rounds, stream),
      title,
      translated,
      addedCpuUs: median(added),
      addedCpuUsQuartiles: [percentile(added, 0.25), percentile(added, 0.75)],
      addedChatCpuUs: median(differences((round) => chatCpuUs(round, stream))),
    };
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function allCpuUs(round: Round, stream: boolean): number {
  return summariseTarget([round], stream).cpuUsPerUnit;
}

function chatCpuUs(round: Round, stream: boolean): number {
  return summariseTarget([round], stream).cpuUsPerUnitBy[CHAT] ?? Number.NaN;
}
