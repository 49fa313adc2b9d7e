import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../bootstrap.mjs';

/** Runs a compiled program of this folder on Node 24, after the checkout was brought up to date. @param name such as `start` */
export async function runProgram(name) {
  const program = fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));
  try {
    const node = await bootstrap();
    if (Number(process.versions.node.split('.')[0]) >= 24) await import(program);
    else runOn(node, program);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Runs the program on another Node. Forwards signals to it and exits with its exit code. */
function runOn(node, program) {
  const child = spawn(node, [program, ...process.argv.slice(2)], {
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
