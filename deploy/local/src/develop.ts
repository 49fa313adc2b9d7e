import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY, type Stack, watchServices, watchSources } from '@gateway/local-stack';

const TSC = join(REPOSITORY, 'node_modules/typescript/bin/tsc');

/** Compiles sources when they change and restarts the services whose code has changed, until this process exits. */
export function develop(stack: Stack): void {
  const stopCompiling = watchSources({ root: REPOSITORY, compile });
  const stopRestarting = watchServices({ stack, root: REPOSITORY, log: (message) => console.log(message) });
  console.log('Watching for changes.');
  process.once('exit', () => {
    stopCompiling();
    stopRestarting();
  });
}

/** Compiles what has changed and prints the errors. Resolves when it has ended, with or without errors. */
function compile(): Promise<void> {
  console.log('Compiling …');
  const compiler = spawn(process.execPath, [TSC, '--build'], { cwd: REPOSITORY, stdio: 'inherit' });
  return new Promise((resolve) => {
    compiler.once('exit', () => resolve());
    compiler.once('error', (error) => {
      console.error(`The compiler could not be started: ${error.message}`);
      resolve();
    });
  });
}
