#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../deploy/local/bootstrap.mjs';

const [, , first, ...rest] = process.argv;
const isFleet = first === 'fleet';
const PROGRAM = fileURLToPath(new URL(isFleet ? 'dist/fleet/main.js' : 'dist/main.js', import.meta.url));
const ARGS = isFleet ? rest : process.argv.slice(2);

try {
  // All compared processes run on the same Node, which may differ from the Node that runs this script.
  const child = spawn(await bootstrap(), [PROGRAM, ...ARGS], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
