#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
/** More workers than CPUs, because tests also wait. With more than 4, their pools would exhaust the server's connections. */
const UNIT_WORKERS = Math.min(4, availableParallelism() + 1);
/** Time for jest to exit after its result. Longer than `fetch` keeps idle connections open. */
const EXIT_TIMEOUT_MS = 60_000;
const REAL_ENGINES = ['TEST_DATABASE_URL', 'TEST_REDIS_URL', 'TEST_KAFKA_BROKERS'];

const args = process.argv.slice(2).filter((arg) => arg !== '--heavy');
const heavy = process.argv.includes('--heavy') || process.env.TEST_HEAVY === '1';
/** Each worker runs a whole gateway. The heavy tests need the machine for one gateway. */
const EMBEDDED_SYSTEMS = heavy ? 1 : 3;
/** A worker per set of engines, because tests flush Redis and kill Kafka. */
const REAL_SYSTEMS = heavy ? 1 : (process.env.TEST_ENGINES_DIRS?.split(' ').length ?? 1);
// A normal run uses the same random cases each time. A heavy run uses a random seed, which is printed.
const seed = process.env.FC_SEED ?? (heavy ? String(Math.trunc(Math.random() * 2 ** 31)) : undefined);
const requireAll = process.env.REQUIRE_ALL === '1';

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function main() {
  const node = await bootstrap();
  const missing = REAL_ENGINES.filter((setting) => !process.env[setting]);
  const runs = [
    { title: 'Unit tests', project: 'unit', workers: UNIT_WORKERS, start: startUnitDatabase },
    systemRun('embedded', EMBEDDED_SYSTEMS),
    ...(missing.length === 0 ? [systemRun('real', REAL_SYSTEMS, { TEST_AGAIN: '1' })] : []),
  ];
  const notRun = missing.length === 0 ? [] : [`system tests on real engines: ${missing.join(', ')} not set`];
  if (!process.env.TEST_S3_SERVER) notRun.push('tests of the S3 store: TEST_S3_SERVER not set');
  if (!process.env.TEST_PGBOUNCER) notRun.push('tests through PgBouncer: TEST_PGBOUNCER not set');
  if (!process.env.TEST_HELM)
    notRun.push('tests of the Helm chart: TEST_HELM and TEST_KUBERNETES_SCHEMAS not set');
  if (seed !== undefined) console.log(`FC_SEED=${seed}`);
  if (!heavy) notRun.push('the long versions of some tests: npm run test:heavy');
  const results = [];
  for (const run of runs) results.push(await runJest(node, run));
  return report(results, notRun, missing.length === 0);
}

function systemRun(engines, workers, env = {}) {
  const start = engines === 'real' ? async () => ({}) : () => startDatabases(workers);
  return {
    title: `System tests on ${engines} engines`,
    project: 'system',
    workers,
    env: { ENGINES: engines, ...env },
    start,
  };
}

/** Starts a server for all unit tests unless one is configured. Each test file creates its own databases on it. */
async function startUnitDatabase() {
  if (process.env.TEST_DATABASE_URL) return {};
  const { url, stop } = await startDatabase();
  return { env: { UNIT_DATABASE_URL: url }, stop };
}

/** Starts a server per worker, shared by its gateways one after the other: starting a server takes as long as two services. */
async function startDatabases(workers) {
  const started = await Promise.allSettled(Array.from({ length: workers }, startDatabase));
  const databases = started.flatMap(({ value }) => value ?? []);
  const stop = () => Promise.all(databases.map((database) => database.stop()));
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed) {
    await stop().catch(() => {});
    throw failed.reason;
  }
  return { env: { EMBEDDED_DATABASE_URLS: databases.map(({ url }) => url).join(' ') }, stop };
}

async function startDatabase() {
  const { startScratchPostgres } = await import('../../packages/testing/dist/scratch-postgres.js');
  const { signalOnExit } = await import('../../packages/local-stack/dist/supervise/signal-on-exit.js');
  const { url, pid, stop } = await startScratchPostgres();
  const release = signalOnExit(pid, 'INT');
  return {
    url,
    stop: () => {
      release();
      return stop();
    },
  };
}

async function runJest(node, { title, project, workers, env, start }) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-jest-'));
  const outputFile = join(folder, 'result.json');
  console.log(`\n${title}\n`);
  let started;
  let killTimer;
  try {
    started = await start();
    const flags = ['--selectProjects', project, `--maxWorkers=${workers}`];
    const output = ['--passWithNoTests', '--json', `--outputFile=${outputFile}`];
    const child = spawn(node, [JEST, ...flags, ...output, ...args], {
      cwd: ROOT,
      env: {
        ...process.env,
        ...env,
        ...started.env,
        ...(heavy && { TEST_HEAVY: '1' }),
        ...(seed && { FC_SEED: seed }),
      },
      // Jest prints its summary to standard error, and the result as JSON to standard output, which is not needed.
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(signal ?? code));
      killTimer = killIfNotExiting(child, outputFile);
    });
    return { title, ...summarise(readResult(outputFile), ended) };
  } finally {
    clearInterval(killTimer);
    await started?.stop?.();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills jest if it does not exit after writing its result: a test that leaves a handle open fails the run. */
function killIfNotExiting(child, outputFile) {
  let waitedMs = 0;
  return setInterval(() => {
    if (!existsSync(outputFile)) return;
    waitedMs += 1_000;
    if (waitedMs > EXIT_TIMEOUT_MS) child.kill('SIGKILL');
  }, 1_000);
}

function readResult(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function summarise(result, ended) {
  if (!result) {
    const problem = `jest exited with ${ended} and without a result`;
    return { passed: 0, failed: 1, ran: [], skipped: [], problem };
  }
  const named = (statuses) =>
    result.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => statuses.includes(status))
        .map(({ fullName }) => `${relative(ROOT, name)}: ${fullName}`),
    );
  const skipped = named(['pending', 'todo', 'disabled', 'skipped']);
  // A file that can't be loaded counts as one failure; its tests are unknown.
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const problem = failed === 0 && ended !== 0 ? `jest exited with ${ended}` : undefined;
  const ran = named(['passed', 'failed']);
  return { passed: result.numPassedTests, failed: failed + (problem ? 1 : 0), ran, skipped, problem };
}

function report(results, notRun, hasRealEngines) {
  console.log();
  for (const { title, passed, failed, skipped, problem } of results) {
    const extra = [skipped.length > 0 && `${skipped.length} skipped`, problem].filter(Boolean).join(', ');
    console.log(`${title}: ${passed} passed, ${failed} failed${extra && `, ${extra}`}`);
  }
  // Some tests run on one kind of engines only: a test counts as skipped if no run has run it.
  const ran = new Set(results.flatMap((result) => result.ran));
  const skipped = [...new Set(results.flatMap((result) => result.skipped))].filter((name) => !ran.has(name));
  if (notRun.length + skipped.length > 0) {
    console.log('\nNot run:');
    for (const what of [...notRun, ...skipped]) console.log(`  ${what}`);
  }
  const incomplete = requireAll && (skipped.length > 0 || !hasRealEngines);
  if (incomplete) console.log('\nREQUIRE_ALL=1: tests that were not run count as a failure.');
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') > 0 || incomplete ? 1 : 0;
}
