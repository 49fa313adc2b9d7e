import type { ReserveRuns } from '../bench-report';
import { summariseTarget, type TargetSummary } from './scenario-summary';
import { table } from './table';

/** The processes that a `Reserve` passes through; what the others use is their idling. */
const INVOLVED = ['billing', 'PostgreSQL', 'runner with Redis', 'load generator'];

export function formatReserve({ callers, runSeconds, keys }: ReserveRuns): string {
  const summaries = keys.map(({ runs }) => summariseTarget(runs, false));
  const heading = `Reserve, ${callers} callers, ${keys[0]?.runs.length} runs of ${runSeconds} s`;
  const row = (title: string, figure: (summary: TargetSummary) => number, digits: number) => [
    title,
    ...summaries.map((summary) => figure(summary).toFixed(digits)),
  ];
  const samples = summaries.flatMap(({ errorSamples }) => errorSamples).slice(0, 5);
  return [
    table([
      [heading, ...keys.map(({ title }) => title)],
      row('calls/s', (summary) => summary.unitsPerSecond, 0),
      row('Reserve takes, p50 ms', (summary) => summary.p50Ms, 2),
      row('Reserve takes, p99 ms', (summary) => summary.p99Ms, 2),
      ...INVOLVED.map((name) =>
        row(`CPU µs/call: ${name}`, (summary) => summary.cpuUsPerUnitBy[name] ?? Number.NaN, 1),
      ),
    ]),
    ...samples.map((sample) => `  error: ${sample}`),
  ].join('\n');
}
