import { DATABASE_SERVICES } from '@gateway/local-stack';
import pg from 'pg';

export interface EmptyDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates an empty database. `drop` also drops the roles of its services. */
export async function createEmptyDatabase(serverUrl: string, name: string): Promise<EmptyDatabase> {
  await runSql(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await runSql(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      await runSql(
        serverUrl,
        `DROP ROLE IF EXISTS ${DATABASE_SERVICES.map((service) => `${name}_${service}`)}`,
      );
    },
  };
}

/** Runs a statement on a new connection. */
export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
