#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';

const PROGRAM = fileURLToPath(new URL('dist/start.js', import.meta.url));

try {
  const node = await bootstrap();
  if (Number(process.versions.node.split('.')[0]) >= 24) await import(PROGRAM);
  else runOn(node);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Runs the program on another Node. Forwards signals to it and exits with its exit code. */
function runOn(node) {
  const child = spawn(node, [PROGRAM, ...process.argv.slice(2)], {
    // Through the IPC channel it notices that this process has exited.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`${node} could not be run: ${error.message}`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
