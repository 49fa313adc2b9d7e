import type { Logger } from '@gateway/process';
import pg from 'pg';

export type { Pool, PoolClient, QueryResult } from 'pg';

const INT8_OID = 20;

const ROW_BY_ROW = [
  '-c plan_cache_mode=force_generic_plan',
  ...['hashjoin', 'mergejoin', 'material'].map((node) => `-c enable_${node}=off`),
];

/** A pool whose int8 columns are bigint. Statements and waits for a connection have deadlines. */
export function createPool(options: {
  url: string;
  log: Logger;
  maxConnections?: number;
  /** For a connection to be made, or to come free. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
  /** How long a transaction may keep its locks while nothing is asked of it. */
  idleInTransactionTimeoutMs?: number;
  /** Every statement finds its rows by an index: plans may not scan a whole table. */
  indexesOnly?: boolean;
  /**
   * Every statement is planned once per connection, to find each of its rows by itself: so the plan that was made while
   * a table was empty is as good when it is full. Planning one that writes takes as long as running it.
   */
  plannedOnce?: boolean;
  /** Every statement is planned for its values, each time, and not compiled, which would take longer. */
  customPlans?: boolean;
}): pg.Pool {
  const planning = [
    ...(options.indexesOnly ? ['-c enable_seqscan=off'] : []),
    ...(options.plannedOnce ? ROW_BY_ROW : []),
    ...(options.customPlans ? ['-c plan_cache_mode=force_custom_plan', '-c jit=off'] : []),
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
  // A server that goes away breaks idle connections too; without a listener that would end the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection lost'));
  return pool;
}

/**
 * Runs `work` in one transaction. After any failure the connection is thrown away: one that timed out
 * stays stuck in its statement.
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

/** True when the database answers. */
export async function ping(pool: pg.Pool): Promise<boolean> {
  await pool.query('SELECT 1');
  return true;
}
