import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@gateway/local-stack';

export interface ScratchPostgres {
  readonly url: string;
  readonly pid: number;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server for tests. Its folder is removed when it is stopped or fails to start. */
export async function startScratchPostgres(): Promise<ScratchPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  // PostgreSQL started by root runs as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o755);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} }).catch((error) => {
    remove();
    throw error;
  });
  const stop = async () => {
    await postgres.stop();
    remove();
  };
  return { url: postgres.url, pid: postgres.pid, stop };
}
