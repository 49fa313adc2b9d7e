import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Caller } from '@gateway/callers';
import { createPool } from '@gateway/postgres';
import { createLogger, type RunningService } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/catalog';
import type { WatchResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import { createGrpcClient, loadService, sharedSecret } from '@gateway/rpc';
import { createServiceDatabase, createTestDatabase } from '@gateway/testing';
import pg from 'pg';
import { start } from '../server';

const SECRET = 'a-secret-for-tests-only';
const SEED_DIR = path.join(__dirname, '../../../../deploy/catalog');

export type CatalogWorld = Awaited<ReturnType<typeof startCatalogWorld>>;

/** A database, and catalogs and watchers on it that `cleanUp` ends. */
export async function startCatalogWorld() {
  const log = createLogger('catalog-test', 'silent');
  const database = await createTestDatabase();
  const cleanups: (() => Promise<void> | void)[] = [];

  async function startCatalog(seedDir = SEED_DIR, env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
    const service = await start(
      {
        DATABASE_URL: await createServiceDatabase('catalog', database.url),
        SERVICE_SECRET: SECRET,
        GRPC_PORT: '0',
        CATALOG_SEED_DIR: seedDir,
        ...env,
      },
      log,
    );
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= service.stop();
      return stopped;
    };
    cleanups.push(stop);
    return { ports: service.ports, stop };
  }

  function connect(service: RunningService, caller: Caller) {
    const { CatalogService } = loadService<ProtoGrpcType>('catalog').gateway.catalog.v1;
    const client = createGrpcClient(CatalogService, {
      addresses: [`127.0.0.1:${service.ports.grpc}`],
      trust: sharedSecret(caller, SECRET),
    });
    cleanups.push(() => client.close());
    return client;
  }

  /** Reads a watch stream message by message. */
  function watch(service: RunningService, caller: Caller = 'chat') {
    const stream = connect(service, caller).Watch({});
    const metadata = new Promise<void>((resolve) => stream.once('metadata', () => resolve()));
    cleanups.push(() => stream.cancel());
    const messages: AsyncIterator<WatchResponse__Output> = stream[Symbol.asyncIterator]();
    const next = async () => (await messages.next()).value as WatchResponse__Output;
    const ended = async () => (await messages.next()).done === true;
    return { next, ended, metadata };
  }

  async function query(sql: string, values: unknown[] = []) {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return await client.query(sql, values);
    } finally {
      await client.end();
    }
  }

  function openPool() {
    const pool = createPool({ url: database.url, log, maxConnections: 2 });
    cleanups.push(() => pool.end());
    return pool;
  }

  function seedDirWith(models: unknown): string {
    const directory = mkdtempSync(path.join(tmpdir(), 'gateway-seed-'));
    cleanups.push(() => rmSync(directory, { recursive: true }));
    writeFileSync(path.join(directory, 'models.json'), JSON.stringify({ models }));
    return directory;
  }

  const cleanUp = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  return { startCatalog, connect, watch, query, openPool, seedDirWith, cleanUp, drop: () => database.drop() };
}
