import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { ProviderKind } from '@gateway/providers';
import type { Credential, CredentialLimits, Provider, ProviderEntry, StoredSecret } from '../domain/provider';
import { announceChange } from './models';

interface ProviderRow {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly name: string;
  readonly base_url: string;
  readonly headers: Record<string, string>;
  readonly options: Record<string, unknown>;
  readonly enabled: boolean;
  readonly created_at: Date;
}

interface CredentialRow {
  readonly id: string;
  readonly provider_id: string;
  readonly name: string;
  readonly sealed_secret: Buffer | null;
  readonly secret_ref: string | null;
  readonly hint: string;
  readonly weight: number;
  readonly enabled: boolean;
  /** Without the cost. Null in rows of an older version. */
  readonly limits: CredentialLimits | null;
  readonly cost_per_day_nano: bigint | null;
  readonly created_at: Date;
}

export interface ProviderSnapshot {
  readonly revision: bigint;
  /** Ordered by id, their credentials by creation. */
  readonly providers: readonly Provider[];
}

/** Returns all providers if they have changed since `known`; otherwise undefined. */
export async function loadProviders(pool: Pool, known: bigint): Promise<ProviderSnapshot | undefined> {
  const { rows } = await pool.query<{ value: bigint }>('SELECT value FROM catalog.provider_revision');
  if (rows[0]!.value === known) return undefined;
  return withTransaction(pool, async (client) => {
    // Revision, providers and credentials of one moment.
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const current = await client.query<{ value: bigint }>('SELECT value FROM catalog.provider_revision');
    return { revision: current.rows[0]!.value, providers: await selectProviders(client) };
  });
}

/** Providers in a transaction that excludes other changes. */
export interface ProviderEdit {
  count(): Promise<number>;
  all(): Promise<Provider[]>;
  /** Returns the size of all encrypted secrets. */
  sealedBytes(): Promise<number>;
  find(id: string): Promise<Provider | undefined>;
  insert(entry: ProviderEntry): Promise<void>;
  update(entry: ProviderEntry): Promise<void>;
  remove(id: string): Promise<void>;
  insertCredential(providerId: string, credential: Omit<Credential, 'createdAtMs'>): Promise<void>;
  updateCredential(credential: Omit<Credential, 'createdAtMs'>): Promise<void>;
  removeCredential(providerId: string, id: string): Promise<void>;
  /** Makes the transaction's changes known to the instances. */
  announce(): Promise<void>;
}

/** Runs `work` under the lock on the provider revision, which every change takes, and counts a change. */
export async function editProviders<T>(pool: Pool, work: (edit: ProviderEdit) => Promise<T>): Promise<T> {
  return withTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM catalog.provider_revision FOR UPDATE');
    const edit = providerEdit(client);
    const result = await work(edit);
    await edit.announce();
    return result;
  });
}

/** Does not count a change: `announce` does. */
export function providerEdit(client: PoolClient): ProviderEdit {
  return {
    async count() {
      const { rows } = await client.query<{ count: bigint }>('SELECT count(*) FROM catalog.providers');
      return Number(rows[0]!.count);
    },
    all: () => selectProviders(client),
    async sealedBytes() {
      const { rows } = await client.query<{ bytes: bigint }>(
        'SELECT coalesce(sum(octet_length(sealed_secret)), 0)::bigint AS bytes FROM catalog.credentials',
      );
      return Number(rows[0]!.bytes);
    },
    find: async (id) => (await selectProviders(client, id))[0],
    async insert({ id, kind, name, baseUrl, headers, options, enabled }) {
      await client.query(
        `INSERT INTO catalog.providers (id, kind, name, base_url, headers, options, enabled)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, kind, name, baseUrl, headers, options, enabled],
      );
    },
    async update({ id, name, baseUrl, headers, options, enabled }) {
      await client.query(
        `UPDATE catalog.providers SET name = $2, base_url = $3, headers = $4, options = $5, enabled = $6 WHERE id = $1`,
        [id, name, baseUrl, headers, options, enabled],
      );
    },
    async remove(id) {
      await client.query('DELETE FROM catalog.providers WHERE id = $1', [id]);
    },
    async insertCredential(providerId, { id, name, hint, weight, enabled, limits, secret }) {
      await client.query(
        // Those of one transaction keep their order.
        `INSERT INTO catalog.credentials
           (id, provider_id, name, sealed_secret, secret_ref, hint, weight, enabled, limits, cost_per_day_nano,
            created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp())`,
        [id, providerId, name, ...secretColumns(secret), hint, weight, enabled, ...limitColumns(limits)],
      );
    },
    async updateCredential({ id, name, hint, weight, enabled, limits, secret }) {
      await client.query(
        `UPDATE catalog.credentials
         SET name = $2, sealed_secret = $3, secret_ref = $4, hint = $5, weight = $6, enabled = $7,
           limits = $8, cost_per_day_nano = $9
         WHERE id = $1`,
        [id, name, ...secretColumns(secret), hint, weight, enabled, ...limitColumns(limits)],
      );
    },
    async removeCredential(providerId, id) {
      await client.query('DELETE FROM catalog.credentials WHERE provider_id = $1 AND id = $2', [
        providerId,
        id,
      ]);
    },
    async announce() {
      await client.query('UPDATE catalog.provider_revision SET value = value + 1');
      await announceChange(client);
    },
  };
}

/** @param id absent: all providers */
async function selectProviders(client: PoolClient, id?: string): Promise<Provider[]> {
  const { rows } = await client.query<ProviderRow>(
    'SELECT * FROM catalog.providers WHERE $1::text IS NULL OR id = $1 ORDER BY id COLLATE "C"',
    [id ?? null],
  );
  const credentials = await client.query<CredentialRow>(
    `SELECT * FROM catalog.credentials WHERE $1::text IS NULL OR provider_id = $1 ORDER BY created_at, id`,
    [id ?? null],
  );
  const byProvider = Map.groupBy(credentials.rows, ({ provider_id }) => provider_id);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    baseUrl: row.base_url,
    headers: row.headers,
    options: row.options,
    enabled: row.enabled,
    createdAtMs: row.created_at.getTime(),
    credentials: (byProvider.get(row.id) ?? []).map(fromCredentialRow),
  }));
}

const fromCredentialRow = (row: CredentialRow): Credential => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  weight: row.weight,
  enabled: row.enabled,
  limits: {
    ...row.limits,
    ...(row.cost_per_day_nano !== null && { costPerDayNano: row.cost_per_day_nano }),
  },
  createdAtMs: row.created_at.getTime(),
  secret: row.sealed_secret ? { sealed: row.sealed_secret } : { reference: row.secret_ref ?? '' },
});

const limitColumns = ({
  costPerDayNano,
  ...counts
}: CredentialLimits): [counts: CredentialLimits, costPerDayNano: bigint | null] => [
  counts,
  costPerDayNano ?? null,
];

const secretColumns = (secret: StoredSecret): [sealed: Buffer | null, reference: string | null] =>
  'sealed' in secret ? [secret.sealed, null] : [null, secret.reference];
