import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is known of one engine: its folder, its log, and the record kept in `engine.json`. */
export function engineState(root, name) {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const file = join(dir, 'engine.json');
  const logFile = join(dir, `${name}.log`);
  return {
    dir,
    logFile,
    read: () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined),
    write: (record) => writeWhole(file, `${JSON.stringify(record, null, 2)}\n`),
    logTail: () =>
      existsSync(logFile) ? readFileSync(logFile, 'utf8').trim().split('\n').slice(-10).join('\n') : '',
  };
}

/** The addresses as shell lines, also for `. DIR/env`. */
export function writeEnv(root, lines) {
  writeWhole(join(root, 'env'), lines);
}

function writeWhole(file, text) {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
