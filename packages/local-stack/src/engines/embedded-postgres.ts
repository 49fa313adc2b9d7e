import { lockDirectory } from './directory-lock';
import { findPostgresBinaries } from './postgres-binaries';
import { ensureDatabase, postgresUrl } from './postgres-connection';
import { initPostgresData, moveDataAside } from './postgres-data';
import { launchPostgres } from './postgres-launch';
import { choosePostgresLocation, type PostgresLocation } from './postgres-location';
import { adoptOrStopOrphan } from './postgres-orphan';
import { type Postmaster, stopPostmaster } from './postgres-postmaster';
import { isAlive } from './process-identity';

const WATCH_INTERVAL_MS = 250;

export interface EmbeddedPostgres {
  /** Connection string with the password, as superuser of the database `gateway`. */
  url: string;
  pid: number;
  /** Whether the server was started by an earlier process that was killed. */
  adopted: boolean;
  /** Stops the server within 17 s. The data is kept. */
  stop(): Promise<void>;
  /** Registers a listener for an exit of the server without `stop`. A new start recovers the data, on the same port. */
  onExit(listener: () => void): void;
}

export interface EmbeddedPostgresOptions {
  /** Folder for the password and the data. If root starts it in a folder that other users can't enter, the data is elsewhere. */
  dataDir: string;
  log: (message: string) => void;
}

/**
 * Starts a private PostgreSQL on 127.0.0.1. If this process is killed, the server keeps running and the next start adopts it.
 * Throws if another running process uses the data folder. A failed start leaves no server running.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const location = choosePostgresLocation(options.dataDir);
  const release = lockDirectory(location.home);
  try {
    const adopted = await adoptOrStopOrphan(location, options.log);
    const postmaster = adopted ?? (await startServer(location, options.log));
    try {
      await ensureDatabase(location, postmaster.port);
      location.savePort(postmaster.port);
    } catch (error) {
      await stopPostmaster(postmaster.process, location.data).catch(() => {});
      throw error;
    }
    return supervise(location, postmaster, adopted !== undefined, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function startServer(location: PostgresLocation, log: (message: string) => void): Promise<Postmaster> {
  if (location.abandoned) {
    log(`Found database files of a deleted data folder; moved them to ${moveDataAside(location)}`);
  }
  const binaries = await findPostgresBinaries(location);
  await initPostgresData(binaries, location);
  return launchPostgres(binaries, location);
}

function supervise(
  location: PostgresLocation,
  { process, port }: Postmaster,
  adopted: boolean,
  release: () => void,
): EmbeddedPostgres {
  const listeners: (() => void)[] = [];
  let stopping: Promise<void> | undefined;
  // Watched by pid, because an adopted server is not a child process.
  const watch = setInterval(() => {
    if (isAlive(process)) return;
    clearInterval(watch);
    release();
    for (const listener of listeners) listener();
  }, WATCH_INTERVAL_MS).unref();
  const stop = async () => {
    clearInterval(watch);
    await stopPostmaster(process, location.data);
    release();
  };
  return {
    url: postgresUrl(location, port),
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
