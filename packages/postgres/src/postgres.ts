import type { Logger } from '@gateway/process';
import pg from 'pg';

export type { Pool, PoolClient, QueryResult } from 'pg';

const INT8_OID = 20;

const GENERIC_INDEX_PLANS = [
  '-c plan_cache_mode=force_generic_plan',
  ...['hashjoin', 'mergejoin', 'material'].map((node) => `-c enable_${node}=off`),
];

/** Creates a pool whose int8 columns are bigint. Statements and waits for a connection have deadlines. */
export function createPool(options: {
  url: string;
  log: Logger;
  maxConnections?: number;
  /** Limit for opening a connection or waiting for an idle one. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
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
}): pg.Pool {
  const planning = [
    ...(options.indexesOnly ? ['-c enable_seqscan=off'] : []),
    ...(options.genericPlans ? GENERIC_INDEX_PLANS : []),
    ...(options.planPerExecution ? ['-c plan_cache_mode=force_custom_plan', '-c jit=off'] : []),
  ];
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 15_000,
    keepAlive: true,
    ...(planning.length > 0 && { options: planning.join(' ') }),
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
  return pool;
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
    await client.query('BEGIN');
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
