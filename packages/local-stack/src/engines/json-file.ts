import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

/** Returns the parsed file; undefined if it is missing or incomplete. */
export function readJsonFile<T>(path: string): Partial<T> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<T>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces the file atomically and durably (fsync), with mode 0600. */
export function writeJsonFile(path: string, value: unknown): void {
  const next = `${path}.new`;
  const file = openSync(next, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(value, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}
