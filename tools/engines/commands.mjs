import { execFile } from 'node:child_process';
import { accessSync, appendFileSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Runs a command and returns its output, which is also appended to `logFile`. An error has the last lines of the output. */
export function run(command, args, { logFile, timeoutMs = 60_000, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const settings = { cwd: '/', timeout: timeoutMs, maxBuffer: 64 << 20, ...options };
    execFile(command, args, settings, (error, stdout, stderr) => {
      if (logFile) appendFileSync(logFile, `$ ${command} ${args.join(' ')}\n${stdout}${stderr}\n`);
      if (!error) return resolve(stdout);
      const tail = `${stdout}${stderr}`.trim().split('\n').slice(-5).join('\n');
      reject(new Error(`${command} failed (${error.code ?? error.signal}): ${tail}`, { cause: error }));
    });
  });
}

/** Returns the path of the first executable with that name on the PATH or in `extraDirs`. */
export function findCommand(name, extraDirs = []) {
  const dirs = [...(process.env.PATH ?? '').split(delimiter), ...extraDirs];
  return dirs.map((dir) => join(dir, name)).find(isExecutable);
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
