import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from './json-file';
import { identify, isAlive, type ProcessIdentity } from './process-identity';

/**
 * Locks a directory for this process, so that a second start with the same data does not treat the server of the first one as
 * an orphan. A lock of a process that has ended is ignored. Returns the function that releases the lock.
 */
export function lockDirectory(directory: string): () => void {
  const file = join(directory, 'owner.json');
  const me = identify(process.pid);
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      writeFileSync(file, JSON.stringify(me), { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = readJsonFile<ProcessIdentity>(file);
    if (owner?.pid !== undefined && owner.startId !== undefined && isAlive(owner as ProcessIdentity)) {
      throw new Error(`already in use by process ${owner.pid}: ${directory}`);
    }
    rmSync(file, { force: true });
  }
  throw new Error(`cannot lock ${directory}`);
}
