#!/usr/bin/env node
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from './engines/chromium.mjs';
import { installPackages } from './engines/debian-packages.mjs';
import { helm } from './engines/helm.mjs';
import { kafka } from './engines/kafka.mjs';
import { pgbouncer } from './engines/pgbouncer.mjs';
import { postgres } from './engines/postgres.mjs';
import { isRunning, launchDetached, stopProcess, waitUntil } from './engines/processes.mjs';
import { redis } from './engines/redis.mjs';
import { engineState, writeEnv } from './engines/state.mjs';
import { versitygw } from './engines/versitygw.mjs';

const USAGE = `Installs and runs real PostgreSQL, Redis and Kafka for tests, and installs a browser, an S3 server, PgBouncer and Helm.
  real-engines.mjs up --dir DIR                     install and start all; prints exports, also written to DIR/env
  real-engines.mjs down --dir DIR [--remove]        stop all; --remove also deletes their data
  real-engines.mjs browser --dir DIR                install only the browser
  real-engines.mjs s3 --dir DIR                     install only the S3 server; prints an export
  real-engines.mjs pgbouncer --dir DIR              build only PgBouncer; prints an export
  real-engines.mjs helm --dir DIR                   install only Helm and the schemas of Kubernetes; prints exports
  real-engines.mjs start|stop|kill NAME --dir DIR   NAME is postgres, redis or kafka; port and data are kept
`;
const ENGINES = [postgres, redis, kafka];
/** Programs that tests start by themselves. */
const PROGRAMS = { s3: versitygw, pgbouncer };

async function up(root) {
  await install(root, [...ENGINES, chromium, ...Object.values(PROGRAMS), helm]);
  const results = await Promise.allSettled(ENGINES.map((engine) => start(root, engine)));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  const lines = ENGINES.map((engine) => {
    return `export ${engine.variable}='${engine.address(engineState(root, engine.name).read())}'\n`;
  });
  for (const program of Object.values(PROGRAMS)) lines.push(await installProgram(root, program));
  lines.push(await installHelm(root), `export ENGINES_DIR='${root}'\n`);
  writeEnv(root, lines.join(''));
  process.stdout.write(lines.join(''));
}

async function install(root, needed) {
  const missing = needed.flatMap((one) => one.missingPackages());
  await installPackages(missing, resolve(root, 'install.log'));
}

async function installProgram(root, program) {
  return `export ${program.variable}='${await program.install(resolve(root, 'install.log'))}'\n`;
}

async function installHelm(root) {
  const logFile = resolve(root, 'install.log');
  return `export ${helm.variable}='${await helm.install(logFile)}'
export ${helm.schemasVariable}='${await helm.installSchemas(logFile)}'
`;
}

async function start(root, engine) {
  const state = engineState(root, engine.name);
  let record = state.read();
  if (!record) {
    record = await engine.prepare(state);
    state.write(record);
  }
  const startedAtMs = Date.now();
  if (!isRunning(record)) {
    const command = await engine.launch(record);
    record = { ...record, ...(await launchDetached({ ...command, logFile: state.logFile })) };
    state.write(record);
  }
  let ready = false;
  await waitUntil(async () => {
    ready = await engine.isReady(record);
    return ready || !isRunning(record);
  }, engine.readyTimeoutMs);
  if (!ready) throw new Error(`${engine.name} did not start; end of ${state.logFile}:\n${state.logTail()}`);
  console.error(`${engine.name} ready after ${Date.now() - startedAtMs} ms (pid ${record.pid})`);
}

async function stop(root, engine, steps) {
  const record = engineState(root, engine.name).read();
  if (!record || !isRunning(record)) return;
  await stopProcess(record, steps);
  console.error(`${engine.name} stopped`);
}

async function down(root, remove) {
  const results = await Promise.allSettled(ENGINES.map((engine) => stop(root, engine, engine.stopSteps)));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  if (!remove) return;
  for (const engine of ENGINES) {
    const state = engineState(root, engine.name);
    const record = state.read();
    if (record) engine.remove?.(record);
    rmSync(state.dir, { recursive: true, force: true });
  }
  rmSync(resolve(root, 'env'), { force: true });
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dir: { type: 'string' }, remove: { type: 'boolean', default: false } },
  });
  const [command, name] = positionals;
  const engine = ENGINES.find((one) => one.name === name);
  const known =
    ['up', 'down', 'browser', 'helm', ...Object.keys(PROGRAMS)].includes(command) ||
    (['start', 'stop', 'kill'].includes(command) && engine);
  if (!known || !values.dir) throw new Error(USAGE);
  mkdirSync(values.dir, { recursive: true, mode: 0o755 });
  const root = realpathSync(values.dir);
  if (command === 'up') return up(root);
  if (command === 'browser') return install(root, [chromium]);
  const program = PROGRAMS[command];
  if (program) {
    await install(root, [program]);
    process.stdout.write(await installProgram(root, program));
    return;
  }
  if (command === 'helm') {
    await install(root, [helm]);
    process.stdout.write(await installHelm(root));
    return;
  }
  if (command === 'down') return down(root, values.remove);
  if (command === 'start') return start(root, engine);
  return stop(root, engine, command === 'kill' ? [['SIGKILL', 5_000]] : engine.stopSteps);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
