import { claimHome } from './home-claim';
import { findPostgresBinaries } from './postgres-binaries';
import { ensureDatabase, postgresUrl } from './postgres-connection';
import { initPostgresData, setDataAside } from './postgres-data';
import { launchPostgres } from './postgres-launch';
import { settleOrphan } from './postgres-orphan';
import { choosePostgresPlace, type PostgresPlace } from './postgres-place';
import { endPostmaster, type Postmaster } from './postgres-postmaster';
import { isAlive } from './process-identity';

const WATCH_INTERVAL_MS = 250;

export interface EmbeddedPostgres {
  /** Connection string with the password, as superuser of the database `gateway`. */
  url: string;
  pid: number;
  /** Adopted from an earlier start that was killed. */
  adopted: boolean;
  /** Stops the server within 17 s; the data is kept. */
  stop(): Promise<void>;
  /** Called once if the server ends without `stop`. A new start with the same data recovers it, on the same port. */
  onExit(listener: () => void): void;
}

export interface EmbeddedPostgresOptions {
  /** Contains the password, and also the data unless root runs it in a folder that other users can't read. */
  dataDir: string;
  log: (message: string) => void;
}

/**
 * Runs a private PostgreSQL on 127.0.0.1. It survives when this process is killed; the next start adopts it. Throws if the data
 * folder is in use by another living process; a failed start leaves no server behind.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const place = choosePostgresPlace(options.dataDir);
  const release = claimHome(place.home);
  try {
    const adopted = await settleOrphan(place, options.log);
    const postmaster = adopted ?? (await startServer(place, options.log));
    try {
      await ensureDatabase(place, postmaster.port);
      place.savePort(postmaster.port);
    } catch (error) {
      await endPostmaster(postmaster.process, place.data).catch(() => {});
      throw error;
    }
    return supervise(place, postmaster, adopted !== undefined, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function startServer(place: PostgresPlace, log: (message: string) => void): Promise<Postmaster> {
  if (place.abandoned) log(`kept the data of a deleted data folder in ${setDataAside(place)}`);
  const binaries = await findPostgresBinaries(place);
  await initPostgresData(binaries, place);
  return launchPostgres(binaries, place);
}

function supervise(
  place: PostgresPlace,
  { process, port }: Postmaster,
  adopted: boolean,
  release: () => void,
): EmbeddedPostgres {
  const listeners: (() => void)[] = [];
  let stopping: Promise<void> | undefined;
  // An adopted server is not a child process, so both kinds are watched by their pid.
  const watch = setInterval(() => {
    if (isAlive(process)) return;
    clearInterval(watch);
    release();
    for (const listener of listeners) listener();
  }, WATCH_INTERVAL_MS).unref();
  const stop = async () => {
    clearInterval(watch);
    await endPostmaster(process, place.data);
    release();
  };
  return {
    url: postgresUrl(place, port),
    pid: process.pid,
    adopted,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
    onExit: (listener) => {
      listeners.push(listener);
    },
  };
}
