import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '@gateway/process';
import pg from 'pg';
import { GRANTS_FILE, type Migration, readMigrations } from './migrations';
import { createPool, type Pool, type PoolClient, withTransaction } from './postgres';
import { ensureServiceRole } from './service-role';

/** Longer than for other statements: building an index on a large table takes time. */
const STATEMENT_TIMEOUT_MS = 1_800_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Brings a service's schema up to date as its owner, and grants the role of `serviceUrl` exactly the privileges in
 * `grants.sql`. Creates the role if the owner is allowed to.
 */
export async function migrateService(options: {
  ownerUrl: string;
  /** The service's login. If it is the owner's URL, the service has no separate role. */
  serviceUrl: string;
  schema: string;
  directory: string;
  log: Logger;
}): Promise<void> {
  const { ownerUrl, serviceUrl, ...rest } = options;
  const pool = createPool({
    url: ownerUrl,
    log: options.log,
    maxConnections: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    mayRunLonger: true,
  });
  try {
    const role = await ensureServiceRole(pool, serviceUrl);
    await migrate({ ...rest, pool, role });
  } finally {
    await pool.end();
  }
}

/**
 * Brings `schema` up to date with the numbered `.sql` files of `directory`, each in its own transaction, one process at
 * a time. Refuses a database in which a newer version has made a breaking change.
 */
export async function migrate(options: {
  pool: Pool;
  schema: string;
  directory: string;
  /** Role that receives the privileges in `grants.sql`; absent: only the owner has access. */
  role?: string | undefined;
  log: Logger;
}): Promise<void> {
  const migrations = await readMigrations(options.directory);
  const { schema, pool, role } = options;
  await withTransaction(pool, async (client) => {
    await lockSchema(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (
         number int PRIMARY KEY, name text NOT NULL, breaking boolean NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now())`,
    );
  });
  for (const migration of migrations.slice(0, -1)) {
    await withTransaction(pool, (client) => applyOnce(client, options, migration));
  }
  const newest = migrations.at(-1);
  await withTransaction(pool, async (client) => {
    if (newest) await applyOnce(client, options, newest);
    const isNewest = await checkVersion(client, schema, newest?.number ?? 0);
    // In the transaction of the last migration, so that a service that sees the migration has its privileges. A newer
    // version's privileges include all that this version needs; granting ours again would revoke its new ones.
    if (role !== undefined && isNewest) await grantTo(client, options, role);
  });
}

async function applyOnce(
  client: PoolClient,
  { schema, log }: { schema: string; log: Logger },
  migration: Migration,
): Promise<void> {
  await lockSchema(client, schema);
  const done = await client.query(`SELECT 1 FROM ${schema}.migrations WHERE number = $1`, [migration.number]);
  if (done.rowCount) return;
  await client.query(migration.sql);
  await client.query(`INSERT INTO ${schema}.migrations (number, name, breaking) VALUES ($1, $2, $3)`, [
    migration.number,
    migration.name,
    migration.breaking,
  ]);
  log.info({ schema, migration: migration.name }, 'migrated');
}

/** Returns false if a newer version has migrated the schema; throws if this version can't run on it. */
async function checkVersion(client: PoolClient, schema: string, known: number): Promise<boolean> {
  const { rows } = await client.query<{ number: number; breaking: boolean }>(
    `SELECT number, breaking FROM ${schema}.migrations WHERE number > $1 ORDER BY breaking DESC LIMIT 1`,
    [known],
  );
  if (rows[0]?.breaking)
    throw new Error(`schema ${schema} is at migration ${rows[0].number}; this build supports up to ${known}`);
  return rows.length === 0;
}

/** Grants `role` (`:"service"` in `grants.sql`) exactly the privileges listed there, and revokes those of PUBLIC. */
async function grantTo(
  client: PoolClient,
  { schema, directory }: { schema: string; directory: string },
  role: string,
): Promise<void> {
  const grants = await readFile(path.join(directory, GRANTS_FILE), 'utf8');
  const service = pg.escapeIdentifier(role);
  await client.query(`
    REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC, ${service};
    REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM PUBLIC, ${service};
    REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${schema} FROM PUBLIC, ${service};
    REVOKE ALL ON ALL ROUTINES IN SCHEMA ${schema} FROM PUBLIC, ${service};
    GRANT USAGE ON SCHEMA ${schema} TO ${service};
    GRANT SELECT ON ${schema}.migrations TO ${service};
    ${grants.replaceAll(':"service"', () => service)}`);
}

/** Locks migrations until the transaction ends; waits for a process that is migrating. */
async function lockSchema(client: PoolClient, schema: string): Promise<void> {
  await client.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('migrate'), hashtext($1))`, [schema]);
}
