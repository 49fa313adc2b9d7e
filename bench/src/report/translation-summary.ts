import type { TranslationGroup } from '../bench-report';
import type { Round } from '../measure';
import { median } from './median';
import { summariseTarget, type TargetSummary } from './scenario-summary';

export interface RouteSummary extends TargetSummary {
  readonly title: string;
  /** CPU of all services beyond that of the round beside it that passed through; 0 for those. */
  readonly addedCpuUs: number;
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
  return routes.map(({ title, rounds }) => {
    const pairs = rounds.map((round, index) => [of(round), of(passed[index]!)] as const);
    return {
      ...summariseTarget(rounds, stream),
      title,
      addedCpuUs: median(pairs.map(([one, other]) => one.all - other.all)),
      addedChatCpuUs: median(pairs.map(([one, other]) => one.chat - other.chat)),
    };
  });
}
