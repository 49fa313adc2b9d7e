import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadService } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/catalog';
import type { WatchResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import { createGrpcClient, createLogger, type RunningService } from '@gateway/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../deploy/local/src/testing/test-database';
import { start } from './server';

jest.setTimeout(30_000);

const SECRET = 'a-secret-for-tests-only';
const SEED_DIR = path.join(__dirname, '../../../deploy/catalog');
const log = createLogger('catalog-test', 'silent');

let database: TestDatabase;
const cleanups: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => database?.drop());

async function startCatalog(seedDir = SEED_DIR): Promise<RunningService> {
  const service = await start(
    { DATABASE_URL: database.url, SERVICE_SECRET: SECRET, GRPC_PORT: '0', CATALOG_SEED_DIR: seedDir },
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

/** Reads a watch stream message by message. */
function watch(service: RunningService, caller = 'chat') {
  const { CatalogService } = loadService<ProtoGrpcType>('catalog').gateway.catalog.v1;
  const client = createGrpcClient(CatalogService, {
    addresses: [`127.0.0.1:${service.ports.grpc}`],
    secrets: [SECRET],
    caller,
  });
  const stream = client.Watch({});
  const metadata = new Promise<void>((resolve) => stream.once('metadata', () => resolve()));
  cleanups.push(() => {
    stream.cancel();
    client.close();
  });
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

function seedDirWith(models: unknown): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'gateway-seed-'));
  cleanups.push(() => rmSync(directory, { recursive: true }));
  writeFileSync(path.join(directory, 'models.json'), JSON.stringify({ models }));
  return directory;
}

const tinyModel = (slug: string) => ({
  slug,
  name: slug,
  input_modalities: ['text'],
  output_modalities: ['text'],
  context_length: 1000,
  max_output_tokens: 100,
  targets: [{ provider: 'sim', upstream_model: 'x' }],
  pricing: { source: 'a test', source_date: '2026-01-01', tokens: { input: '0.000000001', output: '2' } },
});

describe('watch', () => {
  test('sends metadata and the whole seeded catalog at once', async () => {
    const watcher = watch(await startCatalog());
    await watcher.metadata;
    const first = await watcher.next();
    expect(first).toMatchObject({ snapshot: true, revision: '1' });
    const bySlug = new Map(first.models.map((model) => [model.slug, model]));
    expect(bySlug.get('sim/chat')).toMatchObject({
      status: 'MODEL_STATUS_ACTIVE',
      contextLength: 128_000,
      outputFloorTokens: 16,
      targets: [{ provider: 'sim', upstreamModel: 'chat', weight: 1, priority: 0 }],
      pricing: { tokens: { inputNano: '1000000000', outputNano: '4000000000', cacheReadNano: '100000000' } },
    });
    expect(bySlug.get('sim/delisted')).toMatchObject({
      status: 'MODEL_STATUS_DELISTED',
      successor: 'sim/chat',
    });
    expect(bySlug.get('sim/preview')?.preview).toBe(true);
    expect(bySlug.get('sim/video')?.pricing?.video).toEqual({
      tiers: ['std', 'pro'],
      defaultTier: 'std',
      perSecondNano: { std: '50000000', pro: '100000000' },
    });
    expect(bySlug.get('openai/gpt-5.5')?.pricing?.tokens).toMatchObject({
      longContextAboveTokens: 272_000,
      longContext: { inputNano: '10000000000' },
      serviceTiers: { priority: { outputNano: '75000000000' } },
    });
    const versions = first.models.map((model) => model.pricing?.version);
    expect(new Set(versions).size).toBe(first.models.length);
  });

  test('a change made anywhere reaches the watchers of every instance, alone', async () => {
    const watchers = [watch(await startCatalog()), watch(await startCatalog())];
    const [before] = await Promise.all(watchers.map((watcher) => watcher.next()));
    await query(
      `WITH r AS (UPDATE catalog.revision SET value = value + 1 RETURNING value)
       UPDATE catalog.models SET status = 'disabled', revision = r.value FROM r WHERE slug = 'sim/unreachable'`,
    );
    for (const watcher of watchers) {
      const change = await watcher.next();
      expect(change.snapshot).toBe(false);
      expect(BigInt(change.revision)).toBe(BigInt(before!.revision) + 1n);
      expect(change.models.map((model) => [model.slug, model.status])).toEqual([
        ['sim/unreachable', 'MODEL_STATUS_DISABLED'],
      ]);
    }
  });

  test('ends orderly when the service stops', async () => {
    const service = await startCatalog();
    const watcher = watch(service);
    await watcher.next();
    const stopped = service.stop();
    expect(await watcher.ended()).toBe(true);
    await stopped;
  });

  test('is for services only', async () => {
    const watcher = watch(await startCatalog(), 'simulator');
    await expect(watcher.next()).rejects.toMatchObject({ code: 16 });
  });
});

describe('seed', () => {
  test('a later start adds new slugs and leaves the known ones as they are', async () => {
    await (await startCatalog()).stop();
    const changed = { ...tinyModel('sim/chat'), name: 'Another name' };
    const watcher = watch(await startCatalog(seedDirWith([changed, tinyModel('sim/added')])));
    const bySlug = new Map((await watcher.next()).models.map((model) => [model.slug, model]));
    expect(bySlug.get('sim/chat')?.name).toBe('Simulated chat');
    expect(bySlug.get('sim/added')?.pricing?.tokens?.inputNano).toBe('1');
  });

  test('instances that start together on an empty database add each model once', async () => {
    await query('DROP SCHEMA IF EXISTS catalog CASCADE');
    const services = await Promise.all([startCatalog(), startCatalog(), startCatalog()]);
    const snapshots = await Promise.all(services.map((service) => watch(service).next()));
    for (const snapshot of snapshots) expect(snapshot.revision).toBe('1');
    const { rows } = await query('SELECT count(*)::int AS n FROM catalog.price_versions');
    expect(rows[0].n).toBe(snapshots[0]?.models.length);
  });

  test('a bad seed stops the start', async () => {
    await expect(startCatalog(seedDirWith([{ slug: 'x' }]))).rejects.toThrow('invalid catalog seed');
  });
});

test('price versions can neither be changed nor deleted', async () => {
  await startCatalog();
  await expect(query(`UPDATE catalog.price_versions SET pricing = '{}'`)).rejects.toThrow('never changed');
  await expect(query('DELETE FROM catalog.price_versions')).rejects.toThrow('never changed');
});
