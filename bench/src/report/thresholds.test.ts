import { expect, test } from '@jest/globals';
import type { BenchReport, RecordsRuns, ReserveRuns, TranslationGroup } from '../bench-report';
import type { Round } from '../measure';
import { checkThresholds } from './thresholds';

const run = (p50Ms: number, p99Ms: number, errors = 0): Round => ({
  elapsedMs: 1_000,
  calls: 100,
  chunks: 0,
  errors,
  errorSamples: [],
  p50Ms,
  p95Ms: p99Ms,
  p99Ms,
  window: { fromUs: 0, toUs: 0 },
  cpuUs: {},
});

const reportOf = (parts: object): BenchReport =>
  ({ scenarios: [], idle: [], options: {}, ...parts }) as unknown as BenchReport;

function failedThresholds(...runs: Round[]): string[] {
  const reserve: ReserveRuns = {
    callers: 64,
    runSeconds: 1,
    unreleasedSeconds: 1,
    keys: [{ title: 'key', runs, unreleased: [] }],
  };
  return checkThresholds(reportOf({ reserve }))
    .filter(({ passed }) => !passed)
    .map(({ title }) => title);
}

test('checks the median latency of Reserve for each key', () => {
  expect(failedThresholds(run(4, 30), run(5, 40), run(50, 400))).toEqual([]);
  expect(failedThresholds(run(4, 30), run(6, 41), run(7, 50))).toEqual([
    'Reserve, 64 callers, key: p50 at most 5 ms',
    'Reserve, 64 callers, key: p99 at most 40 ms',
  ]);
});

test('checks the memory of the stack only with embedded engines', () => {
  const idle = [{ name: 'edge', pssBytes: 800e6 }];
  const results = (enginesDir?: string) =>
    checkThresholds(reportOf({ idle, options: { enginesDir } })).map(({ passed }) => passed);
  expect(results()).toEqual([false]);
  expect(results('/engines')).toEqual([]);
});

test('fails if any run has an error', () => {
  expect(failedThresholds(run(1, 1), run(1, 1, 1))).toEqual(['Reserve, 64 callers, key: no errors']);
});

const roundCosting = (chatUs: number, errors = 0): Round => ({
  ...run(1, 1, errors),
  chunks: 100,
  cpuUs: { chat: chatUs * 100 },
});

const route = (round: Round, translated: boolean) => ({ title: '', translated, rounds: [round] });

function failedTranslation(stream: boolean, passThroughUs: number, ...translated: Round[]): string[] {
  return failedGroup({
    title: 'group',
    stream,
    callsPerSecond: undefined,
    routes: [route(roundCosting(passThroughUs), false), ...translated.map((round) => route(round, true))],
  });
}

function failedGroup(...groups: TranslationGroup[]): string[] {
  return checkThresholds(reportOf({ translation: { runSeconds: 1, groups } }))
    .filter(({ passed }) => !passed)
    .map(({ title }) => title);
}

test('checks the CPU that the most expensive translation adds to pass-through', () => {
  expect(failedTranslation(false, 500, roundCosting(600), roundCosting(650))).toEqual([]);
  expect(failedTranslation(false, 500, roundCosting(651), roundCosting(600))).toEqual([
    'group: translation adds at most 150 µs CPU per call, all services',
  ]);
  expect(failedTranslation(true, 20, roundCosting(30))).toEqual([]);
  expect(failedTranslation(true, 20, roundCosting(31))).toEqual([
    'group: translation adds at most 10 µs CPU per chunk, all services',
  ]);
  expect(failedTranslation(false, 500, roundCosting(500, 1))).toEqual(['group: no errors']);
});

test('does not check the repeated pass-through route', () => {
  const routes = [
    route(roundCosting(500), false),
    route(roundCosting(900), false),
    route(roundCosting(500), true),
  ];
  expect(failedGroup({ title: 'group', stream: false, callsPerSecond: undefined, routes })).toEqual([]);
});

test('fails if a route falls behind the pace', () => {
  const paced = (callsPerSecond: number) =>
    failedGroup({
      title: 'group',
      stream: false,
      callsPerSecond,
      routes: [route(roundCosting(500), false), route(roundCosting(500), true)],
    });
  expect(paced(105)).toEqual([]);
  expect(paced(106)).toEqual(['group: 106 calls/s on every route']);
});

const SUMS = { calls: 7, errors: 2 };

function failedRecords(kinds: readonly Round[][], sums: Partial<RecordsRuns['sums']> = {}): string[] {
  const records: RecordsRuns = {
    records: 1_000,
    ownRecords: 500,
    connections: 4,
    runSeconds: 1,
    sums: { recorded: SUMS, ofFilledKeys: SUMS, byKey: SUMS, byDay: SUMS, byModel: SUMS, ...sums },
    kinds: kinds.map((rounds, index) => ({ title: `kind ${index}`, rounds })),
    concurrentCalls: [run(1, 1)],
  };
  return checkThresholds(reportOf({ records }))
    .filter(({ passed }) => !passed)
    .map(({ title, found }) => `${title}: ${found}`);
}

test('checks the median latency of each kind of query, and the usage sums', () => {
  const good = [run(1, 299), run(1, 299), run(1, 900)];
  expect(failedRecords([good])).toEqual([]);
  const slow = [run(1, 300), run(1, 300), run(1, 1)];
  expect(failedRecords([good, slow])).toEqual([
    '1,000 requests, each kind of query: p95 under 300 ms: kind 1 300.0 ms',
  ]);
  expect(failedRecords([[run(Number.NaN, Number.NaN, 3)]])).toEqual([
    '1,000 requests, each kind of query: p95 under 300 ms: kind 0 NaN ms',
    '1,000 requests: no errors: 3',
  ]);
  for (const name of ['ofFilledKeys', 'byDay', 'byModel']) {
    expect(failedRecords([good], { [name]: { calls: 7, errors: 1 } })).toHaveLength(1);
  }
});
