import type { TranslationGroup, TranslationRuns } from '../bench-report';
import { table } from './table';
import { summariseTranslation } from './translation-summary';

export function formatTranslation({ runSeconds, groups }: TranslationRuns): string {
  const rounds = groups[0]?.routes[0]?.rounds.length ?? 0;
  const heading = [
    `translation, ${rounds} runs of ${runSeconds} s`,
    '/s',
    'all',
    'added',
    'middle half',
    'chat',
    'added',
  ];
  const samples = groups.flatMap((group) =>
    summariseTranslation(group).flatMap(({ errorSamples }) => errorSamples),
  );
  return [
    table([heading, ...groups.flatMap(rowsOf)]),
    ...samples.slice(0, 5).map((sample) => `  error: ${sample}`),
  ].join('\n');
}

function rowsOf(group: TranslationGroup): string[][] {
  const rows = summariseTranslation(group).map((route, index) => [
    `  ${route.title}`,
    route.unitsPerSecond.toFixed(0),
    route.cpuUsPerUnit.toFixed(1),
    index === 0 ? '' : route.addedCpuUs.toFixed(1),
    index === 0 ? '' : route.addedCpuUsQuartiles.map((us) => us.toFixed(1)).join(' … '),
    (route.cpuUsPerUnitBy.chat ?? Number.NaN).toFixed(1),
    index === 0 ? '' : route.addedChatCpuUs.toFixed(1),
  ]);
  return [[`${group.title}, CPU µs/${group.stream ? 'chunk' : 'call'}`], ...rows];
}
