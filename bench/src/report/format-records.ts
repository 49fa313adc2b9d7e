import type { RecordsRuns } from '../bench-report';
import { summariseTarget } from './scenario-summary';
import { table } from './table';

/** Processes that take part in a query. Their CPU includes that of the concurrent calls. */
const INVOLVED = ['edge', 'dashboard', 'billing', 'PostgreSQL'];

export function formatRecords(runs: RecordsRuns): string {
  const { records, ownRecords, connections, runSeconds, kinds, concurrentCalls } = runs;
  const summaries = kinds.map(({ title, rounds }) => ({ title, ...summariseTarget(rounds, false) }));
  const calls = summariseTarget(concurrentCalls, false);
  const samples = [...summaries, calls].flatMap(({ errorSamples }) => errorSamples).slice(0, 5);
  const formatCount = (count: number) => count.toLocaleString('en');
  const ms = INVOLVED.map((name) => `${name} ms`);
  return [
    `${formatCount(records)} requests, ${formatCount(ownRecords)} of them of the querying account, over ${connections} connections; ` +
      `${kinds[0]?.rounds.length} runs of ${runSeconds} s each`,
    table([
      ['', 'queries/s', 'p50 ms', 'p95 ms', 'p99 ms', ...ms],
      ...summaries.map(({ title, unitsPerSecond, p50Ms, p95Ms, p99Ms, cpuUsPerUnitBy }) => [
        title,
        unitsPerSecond.toFixed(0),
        ...[p50Ms, p95Ms, p99Ms].map((figure) => figure.toFixed(1)),
        ...INVOLVED.map((name) => ((cpuUsPerUnitBy[name] ?? Number.NaN) / 1_000).toFixed(1)),
      ]),
    ]),
    `concurrent calls: ${calls.unitsPerSecond.toFixed(0)}/s, p50 ${calls.p50Ms.toFixed(1)} ms, ` +
      `p99 ${calls.p99Ms.toFixed(1)} ms`,
    ...samples.map((sample) => `  error: ${sample}`),
  ].join('\n');
}
