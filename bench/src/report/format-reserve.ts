import type { ReserveRuns } from '../bench-report';
import { summariseTarget, type TargetSummary } from './scenario-summary';
import { table } from './table';

/** Processes that take part in a `Reserve`; the others are idle. */
const INVOLVED = ['billing', 'PostgreSQL', 'Redis', 'runner with Redis', 'load generator'];

export function formatReserve({ callers, runSeconds, unreleasedSeconds, keys }: ReserveRuns): string {
  const released = keys.map(({ runs }) => summariseTarget(runs, false));
  const unreleased = keys.map((key) => summariseTarget(key.unreleased, false));
  const samples = [...released, ...unreleased].flatMap(({ errorSamples }) => errorSamples).slice(0, 5);
  const heading = `Reserve, ${callers} callers, ${keys[0]?.runs.length} runs`;
  return [
    table([
      [heading, ...keys.map(({ title }) => title)],
      [`holds released before the next call, ${runSeconds} s`],
      ...rows(released),
      [`holds not released, ${unreleasedSeconds} s`],
      ...rows(unreleased),
    ]),
    ...samples.map((sample) => `  error: ${sample}`),
  ].join('\n');
}

function rows(summaries: readonly TargetSummary[]): string[][] {
  const row = (title: string, figure: (summary: TargetSummary) => number, digits: number) => [
    `  ${title}`,
    ...summaries.map((summary) => figure(summary).toFixed(digits)),
  ];
  return [
    row('calls/s', (summary) => summary.unitsPerSecond, 0),
    row('Reserve latency, p50 ms', (summary) => summary.p50Ms, 2),
    row('Reserve latency, p99 ms', (summary) => summary.p99Ms, 2),
    ...INVOLVED.filter((name) => summaries.some(({ cpuUsPerUnitBy }) => name in cpuUsPerUnitBy)).map((name) =>
      row(`CPU µs/call: ${name}`, (summary) => summary.cpuUsPerUnitBy[name] ?? Number.NaN, 1),
    ),
  ];
}
