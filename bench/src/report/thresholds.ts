import type {
  BenchReport,
  CallSums,
  InstanceRuns,
  RecordsRuns,
  ReserveRuns,
  TranslationGroup,
  TranslationRuns,
} from '../bench-report';
import { isMoneyConsistent } from '../gateway/check-money';
import { totalPssBytes } from '../memory';
import type { HttpScenarioName } from '../scenarios';
import { summarise, summariseTarget } from './scenario-summary';
import { summariseTranslation } from './translation-summary';

export interface ThresholdResult {
  readonly title: string;
  readonly found: string;
  readonly passed: boolean;
}

const MAX_CALL_CPU_US = 1_000;
const MAX_RESPONSE_CPU_RATIO = 1.2;
/** Of calls of the same size; two runs differ by up to a tenth. */
const MAX_EMBEDDING_CPU_RATIO = 1.1;
const MAX_CHUNK_CPU_RATIO = 2;
const MAX_TRANSLATED_CALL_CPU_US = 150;
const MAX_TRANSLATED_CHUNK_CPU_US = 10;
/** Below 1, because the last calls of a run extend its duration. */
const MIN_PACE_RATIO = 0.95;
const MAX_RESERVE_P50_MS = 5;
const MAX_RESERVE_P99_MS = 40;
const MAX_QUERY_P95_MS = 300;
const MAX_IDLE_MB = 700;

/** Returns the result of every threshold that applies to the measured scenarios. */
export function checkThresholds(report: BenchReport): ThresholdResult[] {
  const thresholds: ThresholdResult[] = [];
  for (const rounds of report.scenarios) {
    const { bare, gateway, cpuRatio } = summarise(rounds);
    if (rounds.name === 'plain') {
      const us = gateway.cpuUsPerUnit;
      thresholds.push({
        title: `CPU per non-streamed call, all services of the gateway: at most ${MAX_CALL_CPU_US} µs`,
        found: `${us.toFixed(0)} µs`,
        passed: us <= MAX_CALL_CPU_US,
      });
    }
    const compare = (other: HttpScenarioName, title: string, maxRatio: number) => {
      const compared = report.scenarios.find(({ name }) => name === other);
      if (!compared) return;
      const ratio = gateway.cpuUsPerUnit / summarise(compared).gateway.cpuUsPerUnit;
      thresholds.push({ title, found: `${ratio.toFixed(2)} ×`, passed: ratio <= maxRatio });
    };
    if (rounds.name === 'responses') {
      const title = `CPU per call of responses: at most ${MAX_RESPONSE_CPU_RATIO} × a chat completion's`;
      compare('plain', title, MAX_RESPONSE_CPU_RATIO);
    }
    if (rounds.name === 'embeddings') {
      const title = `CPU per call with 100 embeddings: at most ${MAX_EMBEDDING_CPU_RATIO} × a chat completion's of its size`;
      compare('long', title, MAX_EMBEDDING_CPU_RATIO);
    }
    if (rounds.name === 'stream') {
      thresholds.push({
        title: `CPU per streamed chunk: at most ${MAX_CHUNK_CPU_RATIO} × the bare proxy's`,
        found: `${cpuRatio.toFixed(2)} ×`,
        passed: cpuRatio <= MAX_CHUNK_CPU_RATIO,
      });
    }
    const errors = bare.errors + gateway.errors;
    thresholds.push({ title: `${rounds.title}: no errors`, found: `${errors}`, passed: errors === 0 });
  }
  if (report.reserve) thresholds.push(...reserveThresholds(report.reserve));
  if (report.instances) thresholds.push(...instanceThresholds(report.instances));
  if (report.translation) thresholds.push(...translationThresholds(report.translation));
  if (report.records) thresholds.push(...recordsThresholds(report.records));
  // The memory of configured engines depends on their configuration.
  if (report.options.enginesDir === undefined) thresholds.push(memoryThreshold(report.idle));
  if (report.money) thresholds.push(moneyThreshold(report.money));
  return thresholds;
}

function memoryThreshold(idle: BenchReport['idle']): ThresholdResult {
  const idleMb = totalPssBytes(idle) / 1e6;
  return {
    title: `memory of the whole stack at idle: under ${MAX_IDLE_MB} MB (proportional set size)`,
    found: `${idleMb.toFixed(0)} MB`,
    passed: idleMb < MAX_IDLE_MB,
  };
}

function reserveThresholds({ callers, keys }: ReserveRuns): ThresholdResult[] {
  return keys.flatMap(({ title, runs, unreleased }) => {
    const name = `Reserve, ${callers} callers, ${title}`;
    const { p50Ms, p99Ms } = summariseTarget(runs, false);
    const errors = [...runs, ...unreleased].reduce((sum, run) => sum + run.errors, 0);
    const latency = (of: string, ms: number, maxMs: number): ThresholdResult => ({
      title: `${name}: ${of} at most ${maxMs} ms`,
      found: `${ms.toFixed(2)} ms`,
      passed: ms <= maxMs,
    });
    return [
      latency('p50', p50Ms, MAX_RESERVE_P50_MS),
      latency('p99', p99Ms, MAX_RESERVE_P99_MS),
      { title: `${name}: no errors`, found: `${errors}`, passed: errors === 0 },
    ];
  });
}

function instanceThresholds({ instances, rounds, money }: InstanceRuns): ThresholdResult[] {
  const errors = rounds.reduce((sum, { one, several }) => sum + one.errors + several.errors, 0);
  const title = `${instances} edges and chats`;
  return [
    { title: `${title}: no errors`, found: `${errors}`, passed: errors === 0 },
    moneyThreshold(money, `${title}: `),
  ];
}

/** Checks the most expensive route of each caller format and conversation. */
function translationThresholds({ groups }: TranslationRuns): ThresholdResult[] {
  return groups.flatMap((group) => {
    const routes = summariseTranslation(group);
    const [unit, maxUs] = group.stream
      ? ['chunk', MAX_TRANSLATED_CHUNK_CPU_US]
      : ['call', MAX_TRANSLATED_CALL_CPU_US];
    const translated = routes.filter((route) => route.translated);
    const addedUs = Math.max(...translated.map(({ addedCpuUs }) => addedCpuUs));
    const errors = routes.reduce((sum, route) => sum + route.errors, 0);
    return [
      {
        title: `${group.title}: translation adds at most ${maxUs} µs CPU per ${unit}, all services`,
        found: `${addedUs.toFixed(1)} µs`,
        passed: addedUs <= Number(maxUs),
      },
      { title: `${group.title}: no errors`, found: `${errors}`, passed: errors === 0 },
      ...paceThreshold(group, routes),
    ];
  });
}

/** Routes with different paces can't be compared. */
function paceThreshold(
  { title, callsPerSecond }: TranslationGroup,
  routes: readonly { readonly unitsPerSecond: number }[],
): ThresholdResult[] {
  if (callsPerSecond === undefined) return [];
  const slowest = Math.min(...routes.map(({ unitsPerSecond }) => unitsPerSecond));
  return [
    {
      title: `${title}: ${callsPerSecond} calls/s on every route`,
      found: `at least ${slowest.toFixed(0)}`,
      passed: slowest >= callsPerSecond * MIN_PACE_RATIO,
    },
  ];
}

function recordsThresholds({ records, sums, kinds, concurrentCalls }: RecordsRuns): ThresholdResult[] {
  const name = `${records.toLocaleString('en')} requests`;
  const found = kinds.map(({ title, rounds }) => ({ title, p95Ms: summariseTarget(rounds, false).p95Ms }));
  // A query without a figure was never answered.
  const missed = found.filter(({ p95Ms }) => !(p95Ms < MAX_QUERY_P95_MS));
  const slowest = found.reduce((one, other) => (other.p95Ms > one.p95Ms ? other : one));
  const shown = missed.length > 0 ? missed : [slowest];
  const rounds = [...kinds.flatMap((kind) => kind.rounds), ...concurrentCalls];
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
  const { recorded, ofFilledKeys, byKey, byDay, byModel } = sums;
  return [
    {
      title: `${name}, each kind of query: p95 under ${MAX_QUERY_P95_MS} ms`,
      found: `${missed.length > 0 ? '' : 'slowest: '}${shown.map(({ title, p95Ms }) => `${title} ${p95Ms.toFixed(1)} ms`).join(', ')}`,
      passed: missed.length === 0,
    },
    { title: `${name}: no errors`, found: `${errors}`, passed: errors === 0 },
    {
      title: `${name}: usage by day, model and key equals the records`,
      found: `${format(ofFilledKeys)}, recorded ${format(recorded)}`,
      passed: equal(recorded, ofFilledKeys) && equal(byKey, byDay) && equal(byKey, byModel),
    },
  ];
}

const format = ({ calls, errors }: CallSums) => `${calls} calls, ${errors} errors`;
const equal = (one: CallSums, other: CallSums) => one.calls === other.calls && one.errors === other.errors;

function moneyThreshold(money: NonNullable<BenchReport['money']>, of = ''): ThresholdResult {
  const { calls, meteredNano, chargedNano, driftNano, openHolds, deadLetters, operatorLossNano } = money;
  return {
    title: `${of}balance = ledger = meter, drift 0`,
    found:
      `${calls} calls, metered ${meteredNano} nano-USD, charged ${chargedNano}, drift ${driftNano}, ` +
      `open holds ${openHolds}, dead letters ${deadLetters}, operator loss ${operatorLossNano}`,
    passed: isMoneyConsistent(money),
  };
}
