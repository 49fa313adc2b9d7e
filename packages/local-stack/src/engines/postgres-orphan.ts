import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { answersForPlace } from './postgres-connection';
import type { PostgresPlace } from './postgres-place';
import { endBackends, endPostmaster, findPostmaster, type Postmaster } from './postgres-postmaster';
import { isAlive } from './process-identity';
import { waitUntil } from './wait-until';

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Handles a server whose starter was killed: adopts and returns it if it answers with our password and data, otherwise stops
 * it, so that the data folder is free for a new server.
 */
export async function settleOrphan(
  place: PostgresPlace,
  log: (message: string) => void,
): Promise<Postmaster | undefined> {
  const found = findPostmaster(place.data);
  if (found) {
    if (!place.abandoned && (await answersInTime(place, found))) {
      log(`adopting the PostgreSQL of an earlier start (pid ${found.process.pid})`);
      return found;
    }
    log(`ending the PostgreSQL of an earlier start (pid ${found.process.pid})`);
    await endPostmaster(found.process, place.data);
  }
  await endBackends(place.data);
  // It may be a zombie, or the pid may belong to another program; PostgreSQL would refuse to start.
  if (process.platform === 'linux') rmSync(join(place.data, 'postmaster.pid'), { force: true });
  return undefined;
}

async function answersInTime(place: PostgresPlace, { process, port }: Postmaster): Promise<boolean> {
  let answers = false;
  await waitUntil(async () => {
    answers = await answersForPlace(place, port);
    return answers || !isAlive(process);
  }, ANSWER_TIMEOUT_MS);
  return answers;
}
