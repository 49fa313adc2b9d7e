import type { RecordsRuns } from '../bench-report';
import { summariseTarget } from './scenario-summary';
import { table } from './table';

/** The processes that a question passes through; the calls beside it are in their figures too. */
const INVOLVED = ['edge', 'dashboard', 'billing', 'PostgreSQL'];

export function formatRecords(runs: RecordsRuns): string {
  const { records, ownRecords, connections, runSeconds, kinds, callsBeside } = runs;
  const summaries = kinds.map(({ title, rounds }) => ({ title, ...summariseTarget(rounds, false) }));
  const calls = summariseTarget(callsBeside, false);
  const samples = [...summaries, calls].flatMap(({ errorSamples }) => errorSamples).slice(0, 5);
  const many = (count: number) => count.toLocaleString('en');
  const ms = INVOLVED.map((name) => `${name} ms`);
  return [
    `${many(records)} requests, ${many(ownRecords)} of them of the account that asks, over ${connections} connections; ` +
      `${kinds[0]?.rounds.length} runs of ${runSeconds} s each`,
    table([
      ['', 'asked/s', 'p50 ms', 'p95 ms', 'p99 ms', ...ms],
      ...summaries.map(({ title, unitsPerSecond, p50Ms, p95Ms, p99Ms, cpuUsPerUnitBy }) => [
        title,
        unitsPerSecond.toFixed(0),
        ...[p50Ms, p95Ms, p99Ms].map((figure) => figure.toFixed(1)),
        ...INVOLVED.map((name) => ((cpuUsPerUnitBy[name] ?? Number.NaN) / 1_000).toFixed(1)),
      ]),
    ]),
    `calls beside: ${calls.unitsPerSecond.toFixed(0)} a second, p50 ${calls.p50Ms.toFixed(1)} ms, ` +
      `p99 ${calls.p99Ms.toFixed(1)} ms`,
    ...samples.map((sample) => `  error: ${sample}`),
  ].join('\n');
}
