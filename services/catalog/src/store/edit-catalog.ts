import { isDeepStrictEqual } from 'node:util';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { Model, ModelEntry } from '../domain/model';
import { fromModelRow, type ModelRow, toFeaturesJson, toTargetsJson } from './model-rows';
import { announceChange, insertModel, insertPriceVersion, nextRevision } from './models';
import { type ProviderEdit, providerEdit } from './providers';

/** The catalog in a transaction that excludes other changes. */
export interface CatalogEdit {
  find(slug: string): Promise<Model | undefined>;
  /** Returns which of the names belong to a model, with the model's slug. */
  ownersOf(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the providers that any model names. */
  targetProviders(): Promise<string[]>;
  insert(entry: ModelEntry): Promise<void>;
  /** Prices that differ from the current ones become a new version. */
  replace(current: Model, entry: ModelEntry): Promise<void>;
}

/** Runs `work` under the lock on the revision, which every change takes. */
export async function editCatalog<T>(pool: Pool, work: (edit: CatalogEdit) => Promise<T>): Promise<T> {
  return withTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM catalog.revision FOR UPDATE');
    return work(catalogEdit(client));
  });
}

/** Edits models and providers in one transaction, under the locks of both. */
export async function editAll<T>(
  pool: Pool,
  work: (models: CatalogEdit, providers: ProviderEdit) => Promise<T>,
): Promise<T> {
  return withTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM catalog.provider_revision FOR UPDATE');
    await client.query('SELECT 1 FROM catalog.revision FOR UPDATE');
    return work(catalogEdit(client), providerEdit(client));
  });
}

function catalogEdit(client: PoolClient): CatalogEdit {
  return {
    find: (slug) => findModel(client, slug),
    ownersOf: (names) => findOwners(client, names),
    targetProviders: () => findTargetProviders(client),
    async insert(entry) {
      await insertModel(client, entry, await nextRevision(client));
      await announceChange(client);
    },
    async replace(current, entry) {
      if (await replaceModel(client, current, entry)) await announceChange(client);
    },
  };
}

async function findTargetProviders(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ provider: string }>(
    `SELECT DISTINCT target ->> 'provider' AS provider FROM catalog.models, jsonb_array_elements(targets) target`,
  );
  return rows.map(({ provider }) => provider);
}

async function findModel(client: PoolClient, slug: string): Promise<Model | undefined> {
  const { rows } = await client.query<ModelRow>(
    `SELECT m.*, p.pricing, p.source, p.source_date::text AS source_date
       FROM catalog.models m JOIN catalog.price_versions p ON p.version = m.price_version
      WHERE m.slug = $1`,
    [slug],
  );
  return rows[0] && fromModelRow(rows[0]);
}

async function findOwners(client: PoolClient, names: readonly string[]) {
  const { rows } = await client.query<{ name: string; slug: string }>(
    'SELECT name, slug FROM catalog.model_names WHERE name = ANY ($1)',
    [names],
  );
  return new Map(rows.map(({ name, slug }) => [name, slug]));
}

async function replaceModel(client: PoolClient, current: Model, entry: ModelEntry): Promise<boolean> {
  const { priceVersion, createdAtMs: _, ...before } = current;
  if (isDeepStrictEqual(entry, before)) return false;
  const samePrices = isDeepStrictEqual(entry.pricing, before.pricing);
  const version = samePrices ? priceVersion : await insertPriceVersion(client, entry);
  await client.query(
    `UPDATE catalog.models SET
       name = $2, status = $3, preview = $4, successor = $5, input_modalities = $6, output_modalities = $7,
       context_length = $8, max_output_tokens = $9, output_floor_tokens = $10, capabilities = $11,
       workflow = $12, targets = $13, price_version = $14, revision = $15,
       max_image_tokens = $16, features = $17, aliases = $18, strategy = $19,
       fallback_models = $20
     WHERE slug = $1`,
    [
      entry.slug,
      entry.name,
      entry.status,
      entry.preview,
      entry.successor ?? null,
      entry.inputModalities,
      entry.outputModalities,
      entry.contextLength,
      entry.maxOutputTokens,
      entry.outputFloorTokens,
      entry.capabilities,
      entry.workflow,
      JSON.stringify(toTargetsJson(entry.targets)),
      version,
      await nextRevision(client),
      entry.maxImageTokens,
      toFeaturesJson(entry),
      entry.aliases,
      entry.strategy,
      entry.fallbackModels,
    ],
  );
  return true;
}
