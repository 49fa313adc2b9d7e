import type { BenchReport, ScenarioRounds } from '../bench-report';
import { type MemoryLine, totalPssBytes } from '../memory';
import { formatInstances } from './format-instances';
import { formatRecords } from './format-records';
import { formatReserve } from './format-reserve';
import { formatTranslation } from './format-translation';
import { type ScenarioSummary, SHARED_PROCESSES, summarise, type TargetSummary } from './scenario-summary';
import { table } from './table';
import type { ThresholdResult } from './thresholds';

export function formatReport(report: BenchReport, thresholds: readonly ThresholdResult[]): string {
  const parts = [
    formatEnvironment(report),
    ...report.scenarios.map(formatScenario),
    ...(report.reserve ? [formatReserve(report.reserve)] : []),
    ...(report.instances ? [formatInstances(report.instances)] : []),
    ...(report.translation ? [formatTranslation(report.translation)] : []),
    ...(report.records ? [formatRecords(report.records)] : []),
    formatMemory(report),
    thresholds
      .map(({ title, found, passed }) => `${passed ? 'pass' : 'FAIL'}  ${title}: ${found}`)
      .join('\n'),
  ];
  return parts.join('\n\n');
}

function formatEnvironment({ environment, options }: BenchReport): string {
  const { at, cpu, cores, memoryBytes, node, commit, loadBefore } = environment;
  const gib = (memoryBytes / 2 ** 30).toFixed(0);
  return [
    `${at}, ${cpu}, ${cores} cores, ${gib} GiB, Node ${node}, commit ${commit}`,
    `load before ${loadBefore.toFixed(2)}; medians of ${options.rounds} rounds of ${options.seconds} s`,
  ].join('\n');
}

function formatScenario(rounds: ScenarioRounds): string {
  const summary = summarise(rounds);
  const { bare, gateway } = summary;
  const unit = rounds.stream ? 'chunk' : 'call';
  const latency = rounds.stream ? 'chunk delay' : 'call latency';
  const row = (title: string, figure: (target: TargetSummary) => number, digits: number, ratio = true) => [
    title,
    figure(bare).toFixed(digits),
    figure(gateway).toFixed(digits),
    ratio ? (figure(gateway) / figure(bare)).toFixed(2) : '',
  ];
  const rows = [
    [rounds.title, 'bare proxy', 'gateway', 'ratio'],
    row(`${unit}s/s`, (target) => target.unitsPerSecond, 0),
    row(`${latency}, p50 ms`, (target) => target.p50Ms, 2),
    row(`${latency}, p99 ms`, (target) => target.p99Ms, 2),
    [...row(`CPU µs/${unit}`, (t) => t.cpuUsPerUnit, 1, false).slice(0, 3), summary.cpuRatio.toFixed(2)],
    ...cpuRows(summary),
  ];
  const samples = [...bare.errorSamples, ...gateway.errorSamples].slice(0, 5);
  return [table(rows), ...samples.map((sample) => `  error: ${sample}`)].join('\n');
}

function cpuRows({ bare, gateway }: ScenarioSummary): string[][] {
  const own = Object.keys(gateway.cpuUsPerUnitBy).filter((name) => !SHARED_PROCESSES.includes(name));
  const figure = (target: TargetSummary, name: string) => target.cpuUsPerUnitBy[name]?.toFixed(1) ?? '';
  return [
    ...own.map((name) => [`  ${name}`, '', figure(gateway, name)]),
    ...SHARED_PROCESSES.filter((name) => name in gateway.cpuUsPerUnitBy).map((name) => [
      `  shared: ${name}`,
      figure(bare, name),
      figure(gateway, name),
    ]),
  ];
}

function formatMemory({ idle, loaded }: BenchReport): string {
  const mb = (bytes: number | undefined) => (bytes === undefined ? '' : (bytes / 1e6).toFixed(0));
  const byName = (lines: readonly MemoryLine[]) => new Map(lines.map((line) => [line.name, line]));
  const [before, after] = [byName(idle), byName(loaded)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const stack = loaded.filter(({ name }) => before.has(name));
  return table([
    ['memory, MB', 'idle PSS', 'PSS after load', 'peak RSS'],
    ...names.map((name) => [
      name,
      mb(before.get(name)?.pssBytes),
      mb(after.get(name)?.pssBytes),
      mb((after.get(name) ?? before.get(name))?.peakBytes),
    ]),
    ['whole stack', mb(totalPssBytes(idle)), stack.length > 0 ? mb(totalPssBytes(stack)) : '', ''],
  ]);
}
