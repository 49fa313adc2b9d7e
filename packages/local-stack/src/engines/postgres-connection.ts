import { Client } from 'pg';
import { POSTGRES_USER } from './postgres-data';
import type { PostgresLocation } from './postgres-location';

const DATABASE = 'gateway';

export function postgresUrl({ password }: PostgresLocation, port: number, database = DATABASE): string {
  return `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Returns whether the server on that port accepts our password and serves our data. */
export async function servesLocation(location: PostgresLocation, port: number): Promise<boolean> {
  try {
    return await withClient(location, port, async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      return rows[0]?.data_directory === location.data;
    });
  } catch {
    return false;
  }
}

export async function ensureDatabase(location: PostgresLocation, port: number): Promise<void> {
  await withClient(location, port, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  });
}

async function withClient<T>(
  location: PostgresLocation,
  port: number,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: postgresUrl(location, port, 'postgres'),
    connectionTimeoutMillis: 2_000,
    query_timeout: 10_000,
  });
  // A connection that is cut while idle must not end this process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}
