import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from './json-file';
import { identify, isAlive, type ProcessIdentity } from './process-identity';

/**
 * Makes this process the only one that runs an engine in `home`: a second start with the same data must not treat the first
 * one's server as an orphan. Returns the function that releases it.
 */
export function claimHome(home: string): () => void {
  const file = join(home, 'owner.json');
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
      throw new Error(`already in use by process ${owner.pid}: ${home}`);
    }
    rmSync(file, { force: true });
  }
  throw new Error(`cannot claim ${home}`);
}
