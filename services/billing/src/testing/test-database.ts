import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../../deploy/local/src/engines/embedded-postgres';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * An empty database of the caller's own: on the server of TEST_DATABASE_URL, whose user must be allowed to
 * create one, else on an embedded server that ends with it.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return createOn(given, async () => {});
  const folder = await mkdtemp(path.join(os.tmpdir(), 'billing-test-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  return createOn(server.url, async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
}

async function createOn(serverUrl: string, after: () => Promise<void>): Promise<TestDatabase> {
  const name = `billing_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  await execute(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await execute(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      await after();
    },
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
