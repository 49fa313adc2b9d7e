import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY, type Stack, watchServices } from '@gateway/local-stack';

/** Compiles sources when they change and restarts the services whose code has changed, until this process exits. */
export function develop(stack: Stack): void {
  const compiler = spawn(
    process.execPath,
    [join(REPOSITORY, 'node_modules/typescript/bin/tsc'), '-b', '--watch', '--preserveWatchOutput'],
    { cwd: REPOSITORY, stdio: 'inherit' },
  );
  compiler.on('error', (error) => console.error(`The compiler could not be started: ${error.message}`));
  const stopWatching = watchServices({ stack, root: REPOSITORY, log: (message) => console.log(message) });
  process.once('exit', () => {
    stopWatching();
    compiler.kill();
  });
}
