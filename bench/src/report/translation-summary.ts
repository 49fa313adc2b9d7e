import type { TranslationGroup } from '../bench-report';
import { percentile } from '../load/percentile';
import type { Round } from '../measure';
import { median } from './median';
import { summariseTarget, type TargetSummary } from './scenario-summary';

export interface RouteSummary extends TargetSummary {
  readonly title: string;
  readonly translated: boolean;
  /** CPU of all services beyond that of the round beside it that passed through; 0 for those. */
  readonly addedCpuUs: number;
  /** Between these is the middle half of the differences of which that is the median. */
  readonly addedCpuUsWithin: readonly [number, number];
  /** Of chat alone. */
  readonly addedChatCpuUs: number;
}

const CHAT = 'chat';

/** The first route passes through. Medians of the rounds, and of the differences between neighbours. */
export function summariseTranslation({ stream, routes }: TranslationGroup): RouteSummary[] {
  const passed = routes[0]?.rounds ?? [];
  const of = (round: Round) => {
    const { cpuUsPerUnit, cpuUsPerUnitBy } = summariseTarget([round], stream);
    return { all: cpuUsPerUnit, chat: cpuUsPerUnitBy[CHAT] ?? Number.NaN };
  };
  return routes.map(({ title, translated, rounds }) => {
    const pairs = rounds.map((round, index) => [of(round), of(passed[index]!)] as const);
    const added = pairs.map(([one, other]) => one.all - other.all).sort((one, other) => one - other);
    return {
      ...summariseTarget(rounds, stream),
      title,
      translated,
      addedCpuUs: median(added),
      addedCpuUsWithin: [percentile(added, 0.25), percentile(added, 0.75)],
      addedChatCpuUs: median(pairs.map(([one, other]) => one.chat - other.chat)),
    };
  });
}
