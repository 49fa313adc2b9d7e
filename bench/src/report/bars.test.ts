import { expect, test } from '@jest/globals';
import type { BenchReport, ReserveRuns } from '../bench-report';
import type { Round } from '../measure';
import { judge } from './bars';

const run = (p50Ms: number, p99Ms: number, errors = 0): Round => ({
  elapsedMs: 1_000,
  calls: 100,
  chunks: 0,
  errors,
  errorSamples: [],
  p50Ms,
  p99Ms,
  window: { fromUs: 0, toUs: 0 },
  cpuUs: {},
});

function failedBars(...runs: Round[]): string[] {
  const reserve: ReserveRuns = { callers: 64, runSeconds: 1, keys: [{ title: 'key', runs }] };
  const report = { scenarios: [], idle: [], reserve } as unknown as BenchReport;
  return judge(report)
    .filter(({ passed }) => !passed)
    .map(({ title }) => title);
}

test('Reserve is judged by the median of its runs, each key by itself', () => {
  expect(failedBars(run(4, 30), run(5, 40), run(50, 400))).toEqual([]);
  expect(failedBars(run(4, 30), run(6, 41), run(7, 50))).toEqual([
    'Reserve, 64 callers, key: p50 at most 5 ms',
    'Reserve, 64 callers, key: p99 at most 40 ms',
  ]);
});

test('an error in any run fails', () => {
  expect(failedBars(run(1, 1), run(1, 1, 1))).toEqual(['Reserve, 64 callers, key: no errors']);
});
