import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from './log';
import { type Pool, type PoolClient, withTransaction } from './postgres';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** Code older than this migration can't run on the database. */
  readonly breaking: boolean;
}

/** An index of a large table takes longer than any other statement may. */
const STATEMENT_TIMEOUT_MS = 1_800_000;

/** First line of a migration that older code can't live with. */
const BREAKING_HEADER = '--! breaking';

/**
 * Brings `schema` up to date with the numbered `.sql` files of `directory`, each in its own transaction,
 * one process at a time. Refuses a database that a newer version has changed in a breaking way.
 */
export async function migrate(options: {
  pool: Pool;
  schema: string;
  directory: string;
  log: Logger;
}): Promise<void> {
  const migrations = await readMigrations(options.directory);
  const { schema } = options;
  await withTransaction(options.pool, async (client) => {
    await lockSchema(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (
         number int PRIMARY KEY, name text NOT NULL, breaking boolean NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now())`,
    );
  });
  for (const migration of migrations) await applyOnce(options, migration);
  const known = migrations.at(-1)?.number ?? 0;
  const { rows } = await options.pool.query<{ number: number }>(
    `SELECT number FROM ${schema}.migrations WHERE number > $1 AND breaking LIMIT 1`,
    [known],
  );
  if (rows[0])
    throw new Error(`schema ${schema} is at migration ${rows[0].number}; this version knows ${known}`);
}

async function applyOnce(options: { pool: Pool; schema: string; log: Logger }, migration: Migration) {
  const { pool, schema, log } = options;
  await withTransaction(pool, async (client) => {
    await lockSchema(client, schema);
    const done = await client.query(`SELECT 1 FROM ${schema}.migrations WHERE number = $1`, [
      migration.number,
    ]);
    if (done.rowCount) return;
    await client.query(migration.sql);
    await client.query(`INSERT INTO ${schema}.migrations (number, name, breaking) VALUES ($1, $2, $3)`, [
      migration.number,
      migration.name,
      migration.breaking,
    ]);
    log.info({ schema, migration: migration.name }, 'migrated');
  });
}

/** Until the transaction ends; waits for whoever migrates. */
async function lockSchema(client: PoolClient, schema: string): Promise<void> {
  await client.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('migrate'), hashtext($1))`, [schema]);
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const number = Number(/^(\d{4})-/.exec(name)?.[1]);
      if (number !== index + 1) throw new Error(`migration ${name} is out of sequence`);
      const sql = await readFile(path.join(directory, name), 'utf8');
      return { number, name, sql, breaking: sql.startsWith(BREAKING_HEADER) };
    }),
  );
}
