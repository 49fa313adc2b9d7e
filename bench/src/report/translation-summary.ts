import type { TranslationGroup } from '../bench-report';
import { percentile } from '../load/percentile';
import type { Round } from '../measure';
import { median } from './median';
import { summariseTarget, type TargetSummary } from './scenario-summary';

export interface RouteSummary extends TargetSummary {
  readonly title: string;
  readonly translated: boolean;
  /** CPU of all services beyond that of the rounds beside it that passed through; of those, beyond the first's. */
  readonly addedCpuUs: number;
  /** Between these is the middle half of the differences of which that is the median. */
  readonly addedCpuUsWithin: readonly [number, number];
  /** Of chat alone. */
  readonly addedChatCpuUs: number;
}

const CHAT = 'chat';

/** Medians of the rounds, and of the differences between neighbours. */
export function summariseTranslation({ stream, routes }: TranslationGroup): RouteSummary[] {
  const passing = routes.filter(({ translated }) => !translated);
  return routes.map(({ title, translated, rounds }) => {
    const beside = translated ? passing : passing.slice(0, 1);
    const differences = (cpuUs: (round: Round) => number) =>
      rounds.map((round, index) => cpuUs(round) - mean(beside.map((other) => cpuUs(other.rounds[index]!))));
    const added = differences((round) => allCpuUs(round, stream)).sort((one, other) => one - other);
    return {
      ...summariseTarget(rounds, stream),
      title,
      translated,
      addedCpuUs: median(added),
      addedCpuUsWithin: [percentile(added, 0.25), percentile(added, 0.75)],
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
