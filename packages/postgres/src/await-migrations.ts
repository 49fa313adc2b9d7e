import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gateway/process';
import { readMigrations } from './migrations';
import type { Pool } from './postgres';

const TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 250;

/**
 * SQLSTATEs that occur while the role, the schema or its privileges don't exist yet: undefined_table, invalid_schema_name,
 * insufficient_privilege, invalid_password, invalid_authorization_specification.
 */
const NOT_MIGRATED_YET = new Set(['42P01', '3F000', '42501', '28P01', '28000']);

/**
 * Resolves when every migration in `directory` has been applied to `schema`. Throws immediately if a newer version has
 * made a breaking change to the schema, and after `timeoutMs` if the migrations have not run.
 */
export async function awaitMigrations(options: {
  pool: Pool;
  schema: string;
  directory: string;
  log: Logger;
  timeoutMs?: number;
}): Promise<void> {
  const { schema, log, timeoutMs = TIMEOUT_MS } = options;
  const needed = (await readMigrations(options.directory)).at(-1)?.number ?? 0;
  const deadlineMs = performance.now() + timeoutMs;
  for (let waiting = false; ; waiting = true) {
    const problem = await findProblem(options.pool, schema, needed);
    if (problem === undefined) return warnIfOwner(options.pool, schema, log);
    if (performance.now() > deadlineMs) throw new Error(`${problem}: run this service's dist/migrate.js`);
    if (!waiting) log.warn({ schema, problem }, 'waiting for the migrations');
    await sleep(POLL_INTERVAL_MS);
  }
}

async function findProblem(pool: Pool, schema: string, needed: number): Promise<string | undefined> {
  try {
    const { rows } = await pool.query<{ newest: number | null; breaking: number | null }>(
      `SELECT max(number) AS newest, max(number) FILTER (WHERE breaking) AS breaking FROM ${schema}.migrations`,
    );
    const newest = rows[0]?.newest ?? 0;
    if ((rows[0]?.breaking ?? 0) > needed)
      throw new Error(`schema ${schema} is at migration ${newest}; this build supports up to ${needed}`);
    return newest < needed
      ? `schema ${schema} is at migration ${newest}, this version needs ${needed}`
      : undefined;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code !== undefined && NOT_MIGRATED_YET.has(code)) return `schema ${schema} can't be read: ${message}`;
    throw error;
  }
}

async function warnIfOwner(pool: Pool, schema: string, log: Logger): Promise<void> {
  const { rows } = await pool.query<{ owns: boolean }>(
    `SELECT pg_has_role(nspowner, 'MEMBER') AS owns FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  if (rows[0]?.owns)
    log.warn({ schema }, 'DATABASE_URL logs in as the owner of the tables, not as a service role');
}
