import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type CatalogWorld, startCatalogWorld } from './testing/catalog-fixture';

jest.setTimeout(30_000);

let world: CatalogWorld;

beforeAll(async () => {
  world = await startCatalogWorld();
});
afterEach(() => world.cleanUp());
afterAll(() => world?.drop());

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

describe('Watch', () => {
  test('sends metadata and the whole seeded catalog immediately', async () => {
    const watcher = world.watch(await world.startCatalog());
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
    expect(bySlug.get('anthropic/claude-haiku-4-5')?.pricing?.tokens).toMatchObject({
      cacheWriteNano: '1250000000',
      cacheWriteLongNano: '2000000000',
    });
    const versions = first.models.map((model) => model.pricing?.version);
    expect(new Set(versions).size).toBe(first.models.length);
  });

  test('sends only the changed model to the watchers of every instance', async () => {
    const watchers = [world.watch(await world.startCatalog()), world.watch(await world.startCatalog())];
    const [before] = await Promise.all(watchers.map((watcher) => watcher.next()));
    await world.query(
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

  test('ends without an error when the service stops', async () => {
    const service = await world.startCatalog();
    const watcher = world.watch(service);
    await watcher.next();
    const stopped = service.stop();
    expect(await watcher.ended()).toBe(true);
    await stopped;
  });

  test('rejects services that have no use for models', async () => {
    const watcher = world.watch(await world.startCatalog(), 'edge');
    await expect(watcher.next()).rejects.toMatchObject({ code: 16 });
  });
});

describe('a start with a seed', () => {
  test('adds new slugs and leaves existing entries unchanged', async () => {
    await (await world.startCatalog()).stop();
    const changed = { ...tinyModel('sim/chat'), name: 'Another name' };
    const watcher = world.watch(
      await world.startCatalog(world.seedDirWith([changed, tinyModel('sim/added')])),
    );
    const bySlug = new Map((await watcher.next()).models.map((model) => [model.slug, model]));
    expect(bySlug.get('sim/chat')?.name).toBe('Simulated chat');
    expect(bySlug.get('sim/added')?.pricing?.tokens?.inputNano).toBe('1');
  });

  test('adds features to entries from before features existed', async () => {
    await (await world.startCatalog()).stop();
    await world.query(
      `UPDATE catalog.models SET features = NULL WHERE slug IN ('sim/image', 'sim/video');
       UPDATE catalog.models SET features = '{}' WHERE slug = 'openai/gpt-image-2'`,
    );
    const first = await world.watch(await world.startCatalog()).next();
    const bySlug = new Map(first.models.map((model) => [model.slug, model]));
    expect(bySlug.get('sim/image')?.image).toMatchObject({ maxN: 10, mask: true, sizeRule: null });
    expect(bySlug.get('sim/video')?.video).toMatchObject({
      durations: [5, 10],
      tiers: { pro: { resolution: '1080p', durations: [] } },
    });
    expect(bySlug.get('openai/gpt-image-2')?.image).toBeNull();
  });

  test('adds aliases to entries from before aliases existed, except names in use', async () => {
    await (await world.startCatalog()).stop();
    await world.query(
      `UPDATE catalog.models SET aliases = NULL WHERE slug IN ('openai/gpt-4o', 'openai/o3', 'sim/chat');
       UPDATE catalog.models SET aliases = '{openai/o3-2025-04-16}' WHERE slug = 'openai/o4-mini'`,
    );
    const first = await world.watch(await world.startCatalog()).next();
    const bySlug = new Map(first.models.map((model) => [model.slug, model.aliases]));
    expect(bySlug.get('openai/gpt-4o')).toEqual(['openai/gpt-4o-2024-08-06']);
    expect(bySlug.get('openai/o3')).toEqual([]);
    expect(bySlug.get('openai/o4-mini')).toEqual(['openai/o3-2025-04-16']);
  });

  test('does not add a model whose slug is an alias of another model', async () => {
    await (await world.startCatalog()).stop();
    await world.query(`UPDATE catalog.models SET aliases = '{sim/later}' WHERE slug = 'sim/chat'`);
    const seed = world.seedDirWith([tinyModel('sim/later')]);
    const first = await world.watch(await world.startCatalog(seed)).next();
    expect(first.models.map(({ slug }) => slug)).not.toContain('sim/later');
  });

  test('adds each model once when instances start together on an empty database', async () => {
    await world.query('DROP SCHEMA IF EXISTS catalog CASCADE');
    const services = await Promise.all([world.startCatalog(), world.startCatalog(), world.startCatalog()]);
    const snapshots = await Promise.all(services.map((service) => world.watch(service).next()));
    for (const snapshot of snapshots) expect(snapshot.revision).toBe('1');
    const { rows } = await world.query('SELECT count(*)::int AS n FROM catalog.price_versions');
    expect(rows[0].n).toBe(snapshots[0]?.models.length);
  });

  test('fails if the seed is invalid', async () => {
    await expect(world.startCatalog(world.seedDirWith([{ slug: 'x' }]))).rejects.toThrow(
      'invalid catalog seed',
    );
  });
});

test('the database refuses to change or delete price versions', async () => {
  await world.startCatalog();
  await expect(world.query(`UPDATE catalog.price_versions SET pricing = '{}'`)).rejects.toThrow(
    'never changed',
  );
  await expect(world.query('DELETE FROM catalog.price_versions')).rejects.toThrow('never changed');
});
