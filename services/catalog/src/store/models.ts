import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { CatalogUpdate } from '../domain/catalog';
import type { ModelEntry } from '../domain/model';
import { fromModelRow, type ModelRow, toFeaturesJson, toPricingJson, toTargetsJson } from './model-rows';

/** Channel of `NOTIFY` on which changes are announced. */
export const CHANGES_CHANNEL = 'catalog_changes';

/**
 * Returns the changes after revision `after`; everything if the database's revision is lower, which means that it is another
 * database. One statement, so that revision and models are consistent.
 */
export async function loadChanges(pool: Pool, after: bigint): Promise<CatalogUpdate> {
  const { rows } = await pool.query<ModelRow & { current_revision: bigint; snapshot: boolean }>(
    `SELECT r.value AS current_revision, (r.value < $1 OR $1 < 0) AS snapshot, m.*,
            p.pricing, p.source, p.source_date::text AS source_date
       FROM catalog.revision r
       LEFT JOIN catalog.models m ON m.revision > $1 OR r.value < $1
       LEFT JOIN catalog.price_versions p ON p.version = m.price_version
      ORDER BY m.slug`,
    [after],
  );
  const [first] = rows;
  if (!first) throw new Error('revision counter missing');
  return {
    revision: first.current_revision,
    snapshot: first.snapshot,
    models: rows.filter((row) => row.slug !== null).map(fromModelRow),
  };
}

/**
 * Adds the entries with new slugs. Existing entries stay unchanged, except that features and aliases are added to entries from
 * before these existed. A name that operators have given to another model is kept there. Returns the added slugs.
 */
export async function addMissingModels(pool: Pool, entries: readonly ModelEntry[]): Promise<string[]> {
  return withTransaction(pool, async (client) => {
    // The lock on the counter keeps instances that start at the same time from adding a model twice; a separate statement reads
    // the models, because it sees what was committed while this one waited.
    await client.query('SELECT 1 FROM catalog.revision FOR UPDATE');
    const { rows } = await client.query<{ name: string }>('SELECT name FROM catalog.model_names');
    const taken = new Set(rows.map(({ name }) => name));
    const missing = entries.filter((entry) => !taken.has(entry.slug));
    for (const { slug } of missing) taken.add(slug);
    const free = ({ aliases }: ModelEntry) => aliases.filter((alias) => !taken.has(alias));
    await addMissingFeatures(client, entries);
    await addMissingAliases(client, entries, free);
    if (missing.length === 0) return [];
    const revision = await nextRevision(client);
    for (const entry of missing) await insertModel(client, { ...entry, aliases: free(entry) }, revision);
    return missing.map((entry) => entry.slug);
  });
}

async function addMissingAliases(
  client: PoolClient,
  entries: readonly ModelEntry[],
  free: (entry: ModelEntry) => readonly string[],
): Promise<void> {
  const { rows } = await client.query<{ slug: string }>(
    'SELECT slug FROM catalog.models WHERE aliases IS NULL',
  );
  const lacking = new Set(rows.map(({ slug }) => slug));
  const incomplete = entries.filter((entry) => lacking.has(entry.slug) && free(entry).length > 0);
  if (incomplete.length === 0) return;
  const revision = await nextRevision(client);
  for (const entry of incomplete) {
    await client.query('UPDATE catalog.models SET aliases = $2, revision = $3 WHERE slug = $1', [
      entry.slug,
      free(entry),
      revision,
    ]);
  }
}

async function addMissingFeatures(client: PoolClient, entries: readonly ModelEntry[]): Promise<void> {
  const withFeatures = entries.filter(({ image, video }) => image || video);
  const { rows } = await client.query<{ slug: string }>(
    'SELECT slug FROM catalog.models WHERE features IS NULL AND slug = ANY ($1)',
    [withFeatures.map(({ slug }) => slug)],
  );
  if (rows.length === 0) return;
  const revision = await nextRevision(client);
  const lacking = new Set(rows.map(({ slug }) => slug));
  for (const entry of withFeatures.filter(({ slug }) => lacking.has(slug))) {
    await client.query('UPDATE catalog.models SET features = $2, revision = $3 WHERE slug = $1', [
      entry.slug,
      toFeaturesJson(entry),
      revision,
    ]);
  }
}

export async function nextRevision(client: PoolClient): Promise<bigint> {
  const { rows } = await client.query<{ value: bigint }>(
    'UPDATE catalog.revision SET value = value + 1 RETURNING value',
  );
  return rows[0]!.value;
}

/** Notifies every instance when the transaction is committed. */
export async function announceChange(client: PoolClient): Promise<void> {
  await client.query(`NOTIFY ${CHANGES_CHANNEL}`);
}

export async function insertPriceVersion(
  client: PoolClient,
  { slug, pricing }: Pick<ModelEntry, 'slug' | 'pricing'>,
): Promise<bigint> {
  const { rows } = await client.query<{ version: bigint }>(
    `INSERT INTO catalog.price_versions (slug, pricing, source, source_date)
     VALUES ($1, $2, $3, $4) RETURNING version`,
    [slug, JSON.stringify(toPricingJson(pricing)), pricing.source, pricing.source_date],
  );
  return rows[0]!.version;
}

export async function insertModel(client: PoolClient, entry: ModelEntry, revision: bigint): Promise<void> {
  const version = await insertPriceVersion(client, entry);
  await client.query(
    `INSERT INTO catalog.models
       (slug, name, status, preview, successor, input_modalities, output_modalities, context_length,
        max_output_tokens, output_floor_tokens, capabilities, workflow, targets, revision, price_version,
        max_image_tokens, features, aliases, strategy, fallback_models)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
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
      revision,
      version,
      entry.maxImageTokens,
      toFeaturesJson(entry),
      entry.aliases,
      entry.strategy,
      entry.fallbackModels,
    ],
  );
}
