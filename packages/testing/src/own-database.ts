import { DATABASE_SERVICES } from '@gateway/local-stack';
import pg from 'pg';

export interface OwnDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates an empty database; dropping it also drops the roles of its services. */
export async function createOwnDatabase(serverUrl: string, name: string): Promise<OwnDatabase> {
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

/** Runs on a connection of its own. */
export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
