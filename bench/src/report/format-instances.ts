import type { InstanceRuns } from '../bench-report';
import { summariseTarget, type TargetSummary } from './scenario-summary';
import { table } from './table';

export function formatInstances({ instances, rounds }: InstanceRuns): string {
  const one = summariseTarget(
    rounds.map((round) => round.one),
    false,
  );
  const several = summariseTarget(
    rounds.map((round) => round.several),
    false,
  );
  const row = (title: string, figure: (summary: TargetSummary) => number, digits: number) => [
    title,
    figure(one).toFixed(digits),
    figure(several).toFixed(digits),
    (figure(several) / figure(one)).toFixed(2),
  ];
  const services = Object.keys(one.cpuUsPerUnitBy);
  const samples = [...one.errorSamples, ...several.errorSamples].slice(0, 5);
  return [
    table([
      ['edge and chat, non-streamed', '1 instance', `${instances} instances`, 'ratio'],
      row('calls/s', (summary) => summary.unitsPerSecond, 0),
      row('call latency, p50 ms', (summary) => summary.p50Ms, 2),
      row('call latency, p99 ms', (summary) => summary.p99Ms, 2),
      row('CPU µs/call', (summary) => summary.cpuUsPerUnit, 1),
      ...services.map((name) => row(`  ${name}`, ({ cpuUsPerUnitBy }) => cpuUsPerUnitBy[name] ?? 0, 1)),
    ]),
    ...samples.map((sample) => `  error: ${sample}`),
  ].join('\n');
}
