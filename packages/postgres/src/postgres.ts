import type { Logger } from '@gateway/process';
import pg from 'pg';
import { isPgBouncer } from './database-url';
import { writableClients } from './writable-server';

export type { Pool, PoolClient, QueryResult } from 'pg';

const INT8_OID = 20;

/** How much longer than the server's limit of a statement a client waits for its answer. */
const ANSWER_GRACE_MS = 2_000;
/** Connections are replaced, so that those to a name that has moved, or behind a pooler, are spread again. */
const MAX_LIFETIME_S = 1_800;

/** Session settings by name. */
type SessionSettings = Readonly<Record<string, string>>;

const GENERIC_INDEX_PLANS: SessionSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
};

export interface PoolOptions {
  /**
   * Connection string, with several hosts if a standby may become the primary. With `pgbouncer=true` sessions are shared, and each
   * transaction sets what it needs.
   */
  url: string;
  log: Logger;
  maxConnections?: number;
  /** Limit for opening a connection or waiting for an idle one. */
  connectTimeoutMs?: number;
  /** Limit of the server for a statement. The client gives up two seconds later, and closes the connection. */
  statementTimeoutMs?: number;
  /** Whether statements may be allowed more time by `SET LOCAL`, so that the client must wait. */
  mayRunLonger?: boolean;
  /** How long an idle transaction may keep its locks. */
  idleInTransactionTimeoutMs?: number;
  /** Disables sequential scans: every statement must find its rows by an index. */
  indexesOnly?: boolean;
  /**
   * Plans every statement once per connection, as a generic plan with index lookups, so that a plan made while a table
   * was empty stays good when the table is full. Planning a write takes as long as executing it.
   */
  genericPlans?: boolean;
  /** Plans every statement for its parameter values each time, without JIT compilation, which would take longer. */
  planPerExecution?: boolean;
}

/** The settings of the transactions of a pool whose sessions are shared. */
const transactionSettings = new WeakMap<pg.Pool, SessionSettings>();

/** Returns what each transaction of the pool must set first; undefined if its sessions have these settings. */
export const settingsOfTransactions = (pool: pg.Pool): SessionSettings | undefined =>
  transactionSettings.get(pool);

/**
 * Creates a pool whose int8 columns are bigint. Its connections are to a server that accepts writes. Statements, their answers, and
 * waits for a connection have deadlines.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { Client, forget, options: common } = writableClients(options.url);
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 15_000,
  };
  const planning: SessionSettings = {
    ...(options.indexesOnly && { enable_seqscan: 'off' }),
    ...(options.genericPlans && GENERIC_INDEX_PLANS),
    ...(options.planPerExecution && { plan_cache_mode: 'force_custom_plan', jit: 'off' }),
  };
  const isShared = isPgBouncer(options.url);
  const pool = new pg.Pool({
    ...common,
    Client,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: MAX_LIFETIME_S,
    ...(!options.mayRunLonger && { query_timeout: statementTimeoutMs + ANSWER_GRACE_MS }),
    // PgBouncer refuses these startup parameters.
    ...(!isShared && { ...timeouts, ...startupOptions(planning) }),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8_OID && format !== 'binary'
          ? BigInt
          : // biome-ignore lint/suspicious/noExplicitAny: pg types this function by its overloads only.
            (pg.types.getTypeParser(oid, format as any) as any),
    },
  });
  // A server shutdown also breaks idle connections; without a listener the error event would end the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection lost'));
  closeIdleAfterTimeout(pool, forget);
  if (isShared) {
    const milliseconds = Object.entries(timeouts).map(([name, value]) => [name, String(value)]);
    transactionSettings.set(pool, { ...Object.fromEntries(milliseconds), ...planning });
    // biome-ignore lint/suspicious/noExplicitAny: pg types this method by its overloads only.
    pool.query = ((...query: [any]) => withTransaction(pool, (client) => client.query(...query))) as any;
  }
  return pool;
}

/** The driver's error for a query that is not answered within `query_timeout`. */
const NOT_ANSWERED = 'Query read timeout';

/**
 * After a query without an answer, closes the idle connections, because those to a server that has vanished would each lose another
 * query, and calls `onTimeout`.
 */
function closeIdleAfterTimeout(pool: pg.Pool, onTimeout: () => void): void {
  const idle = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    if (!error) idle.add(client);
    else if (error.message === NOT_ANSWERED) {
      onTimeout();
      for (const one of [...idle]) {
        // The pool removes a client with an error at once; otherwise it could still hand it out.
        one.emit('error', error);
        // Its `end` waits for the server.
        (one as unknown as Connected).connection.stream.destroy();
      }
    }
  });
}

interface Connected {
  readonly connection: { readonly stream: { destroy(): void } };
}

function startupOptions(settings: SessionSettings): { options?: string } {
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return flags.length > 0 ? { options: flags.join(' ') } : {};
}

/** Begins a transaction, with its settings in the same round trip. */
function beginOf(pool: pg.Pool): string {
  const settings = Object.entries(settingsOfTransactions(pool) ?? {});
  return ['BEGIN', ...settings.map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join('; ');
}

/**
 * Runs `work` in a transaction. After a failure the connection is destroyed: one that timed out is still executing its
 * statement.
 */
export async function withTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const onError = () => {};
  client.on('error', onError);
  try {
    await client.query(beginOf(pool));
    const result = await work(client);
    await client.query('COMMIT');
    client.off('error', onError);
    client.release();
    return result;
  } catch (error) {
    client.off('error', onError);
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}

/** Returns whether the database answers. */
export async function ping(pool: pg.Pool): Promise<boolean> {
  await pool.query('SELECT 1');
  return true;
}
