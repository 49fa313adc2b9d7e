import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { servesLocation } from './postgres-connection';
import type { PostgresLocation } from './postgres-location';
import { findPostmaster, type Postmaster, stopBackends, stopPostmaster } from './postgres-postmaster';
import { isAlive } from './process-identity';
import { waitUntil } from './wait-until';

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Handles a server whose starting process was killed. Adopts and returns it if it accepts our password and serves our data;
 * otherwise stops it, so that a new server can use the data folder.
 */
export async function adoptOrStopOrphan(
  location: PostgresLocation,
  log: (message: string) => void,
): Promise<Postmaster | undefined> {
  const found = findPostmaster(location.data);
  if (found) {
    if (!location.abandoned && (await answersInTime(location, found))) {
      log(`Reusing PostgreSQL from a previous run (pid ${found.process.pid})`);
      return found;
    }
    log(`Stopping PostgreSQL from a previous run (pid ${found.process.pid})`);
    await stopPostmaster(found.process, location.data);
  }
  await stopBackends(location.data);
  // PostgreSQL would not start if the pid in a stale file belongs to a zombie or another program.
  if (process.platform === 'linux') rmSync(join(location.data, 'postmaster.pid'), { force: true });
  return undefined;
}

async function answersInTime(location: PostgresLocation, { process, port }: Postmaster): Promise<boolean> {
  let answers = false;
  await waitUntil(async () => {
    answers = await servesLocation(location, port);
    return answers || !isAlive(process);
  }, ANSWER_TIMEOUT_MS);
  return answers;
}
