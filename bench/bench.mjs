#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../deploy/local/bootstrap.mjs';

const PROGRAM = fileURLToPath(new URL('dist/main.js', import.meta.url));

try {
  // All compared processes run on the same Node, which may differ from the Node that runs this script.
  const child = spawn(await bootstrap(), [PROGRAM, ...process.argv.slice(2)], { stdio: 'inherit' });
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
