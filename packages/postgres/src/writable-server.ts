import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serverUrls } from './database-url';

interface Server {
  readonly host: string;
  readonly port: number;
}

const PROBE_TIMEOUT_MS = 2_000;
/** After a server has been found, the others may take so long to answer that they accept writes too. */
const OTHERS_TIMEOUT_MS = 300;
/** Idle connections to a host that has vanished are closed after this time and ten unanswered probes, one per second. */
const KEEP_ALIVE_DELAY_MS = 5_000;

/**
 * Finds the server that accepts writes, if a URL names several. The server found is used until a connection to it fails, all
 * connections have ended, it turns out to be read-only, or it does not answer. Of several, the one that was promoted last is used.
 */
class WritableServer {
  readonly #urls: readonly string[];
  #found: Promise<Server> | undefined;

  constructor(urls: readonly [string, ...string[]]) {
    this.#urls = urls;
    if (urls.length === 1) this.#found = Promise.resolve(serverOf(urls[0]));
  }

  find(): Promise<Server> {
    this.#found ??= this.#search().catch((error) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  /** The next connection looks for the server again. */
  forget(): void {
    if (this.#urls.length > 1) this.#found = undefined;
  }

  async #search(): Promise<Server> {
    const writable: { server: Server; timeline: number }[] = [];
    const probes = this.#urls.map(async (url) => {
      writable.push(await probe(url));
    });
    try {
      await Promise.any(probes);
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(({ message }: Error) => message).join('; ');
      throw new Error(`no server of the database URL accepts writes: ${reasons}`);
    }
    await Promise.race([Promise.allSettled(probes), sleep(OTHERS_TIMEOUT_MS, undefined, { ref: false })]);
    return writable.reduce((latest, one) => (one.timeline > latest.timeline ? one : latest)).server;
  }
}

const serverOf = (url: string): Server => {
  const { host, port } = new pg.Client({ connectionString: url });
  return { host, port };
};

/** Returns a server that accepts writes and its timeline, which increases with each promotion. */
async function probe(url: string): Promise<{ server: Server; timeline: number }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await requireWritable(client);
    const { rows } = await client.query<{ wal: string }>(
      'SELECT pg_walfile_name(pg_current_wal_lsn()) AS wal',
    );
    return {
      server: { host: client.host, port: client.port },
      timeline: Number.parseInt(rows[0]!.wal.slice(0, 8), 16),
    };
  } finally {
    client.end().catch(() => {});
  }
}

/** @throws Error if the server is a standby or read-only */
async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the database server is read-only');
}

/**
 * Returns a class for clients of one URL that connect to the server that accepts writes, and the options for their constructor.
 * @throws Error if the URL is invalid or does not verify the server
 */
export function writableClients(url: string): {
  Client: typeof pg.Client;
  options: pg.ClientConfig;
  /** Call it if a query was not answered. */
  forget: () => void;
} {
  const urls = serverUrls(url);
  const servers = new WritableServer(urls);
  let open = 0;
  class WritableClient extends pg.Client {
    #ended = false;

    // biome-ignore lint/suspicious/noExplicitAny: pg types this method by its overloads only.
    override connect(callback?: (error: any, client?: any) => void): any {
      const connected = this.#connect();
      if (!callback) return connected;
      connected.then(() => callback(null, this), callback);
    }

    async #connect(): Promise<this> {
      const onError = () => {};
      // A connection that breaks while it is checked also emits the error.
      this.on('error', onError);
      try {
        const { host, port } = await servers.find();
        if (this.#ended) throw new Error('the client was closed');
        Object.assign(this, { host, port });
        await super.connect();
        await requireWritable(this);
        open += 1;
        this.once('end', () => {
          open -= 1;
          // Nothing would notice that the server is gone.
          if (open === 0) servers.forget();
        });
        return this;
      } catch (error) {
        servers.forget();
        super.end().catch(() => {});
        throw error;
      } finally {
        this.off('error', onError);
      }
    }

    // biome-ignore lint/suspicious/noExplicitAny: as above.
    override end(callback?: any): any {
      this.#ended = true;
      return super.end(callback);
    }
  }
  return {
    Client: WritableClient,
    forget: () => servers.forget(),
    options: {
      connectionString: urls[0],
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    },
  };
}

/** Creates a client that is not connected yet. Each connection and query has a deadline. */
export function createClient(
  url: string,
  options: { applicationName: string; connectTimeoutMs: number; queryTimeoutMs: number },
): pg.Client {
  const { Client, options: common } = writableClients(url);
  return new Client({
    ...common,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.queryTimeoutMs,
  });
}
