import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { BenchReport } from './bench-report';
import { type BenchOptions, parseOptions, USAGE } from './options';
import { formatProfiles } from './profile/format-profiles';
import { formatReport } from './report/format-report';
import { checkThresholds } from './report/thresholds';
import { runBench } from './run-bench';

/** Exit codes as in shells. */
const INTERRUPTED = 130;
const INVALID_USAGE = 2;

async function main(): Promise<void> {
  const options = readOptions();
  if (!options) return;
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (process.platform !== 'linux')
    throw new Error('bench requires Linux, because it reads CPU and memory from /proc');
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => abort.abort());
  const report = await runBench({
    options,
    signal: abort.signal,
    progress: (message) => process.stderr.write(`${message} …\n`),
  }).catch((error) => {
    if (!abort.signal.aborted) throw error;
  });
  if (!report) {
    process.exitCode = INTERRUPTED;
    return;
  }
  const thresholds = checkThresholds(report);
  process.stdout.write(`\n${formatReport(report, thresholds)}\n`);
  if (options.jsonFile) writeJson(options.jsonFile, { ...report, thresholds });
  if (options.profileDir) process.stdout.write(`\n${profilesOf(report)}\n`);
  // Profiling slows the services down, so thresholds are not enforced.
  if (!options.profileDir && thresholds.some(({ passed }) => !passed)) process.exitCode = 1;
}

function readOptions(): BenchOptions | undefined {
  try {
    const options = parseOptions(process.argv.slice(2));
    return options.profileDir ? { ...options, profileDir: resolve(options.profileDir) } : options;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    process.exitCode = INVALID_USAGE;
    return undefined;
  }
}

function writeJson(file: string, content: unknown): void {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

function profilesOf({ options, scenarios, reserve, translation, records }: BenchReport): string {
  const rounds = [
    ...scenarios.flatMap((scenario) => scenario.rounds.map(({ gateway }) => gateway)),
    ...(translation?.groups.flatMap(({ routes }) => routes.flatMap(({ rounds }) => rounds)) ?? []),
    ...(records?.kinds.flatMap(({ rounds }) => rounds) ?? []),
    ...(reserve?.keys.flatMap(({ runs }) => runs) ?? []),
  ];
  const units = rounds.reduce((sum, { calls, chunks }) => sum + (chunks || calls), 0);
  return formatProfiles(
    options.profileDir ?? '',
    rounds.map(({ window }) => window),
    units,
  );
}

main().catch((error: Error) => {
  process.stderr.write(`${error.stack ?? error}\n`);
  process.exitCode = 1;
});
