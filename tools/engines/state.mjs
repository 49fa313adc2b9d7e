import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder of an engine, its log, and access to its record in `engine.json`. */
export function engineState(root, name) {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const file = join(dir, 'engine.json');
  const logFile = join(dir, `${name}.log`);
  return {
    dir,
    logFile,
    read: () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined),
    write: (record) => writeAtomically(file, `${JSON.stringify(record, null, 2)}\n`),
    logTail: () =>
      existsSync(logFile) ? readFileSync(logFile, 'utf8').trim().split('\n').slice(-10).join('\n') : '',
  };
}

/** Writes the addresses as shell commands to DIR/env, for `. DIR/env`. */
export function writeEnv(root, lines) {
  writeAtomically(join(root, 'env'), lines);
}

function writeAtomically(file, text) {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
