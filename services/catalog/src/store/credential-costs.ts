import type { Pool } from '@gateway/postgres';

/** Nano-USD by the id of the credential. */
export type CredentialCosts = ReadonlyMap<string, bigint>;

export interface InstanceCosts {
  /** UUID of the process. */
  readonly instanceId: string;
  /** UTC day, such as `2026-01-31`. */
  readonly day: string;
  /** Cumulative on that day. */
  readonly costs: CredentialCosts;
}

interface CostRow {
  readonly credential_id: string;
  readonly cost_nano: bigint;
}

/**
 * Stores the costs of an instance; returns those of all instances, of the given credentials that have any. Reports of one instance
 * may arrive repeatedly and in any order.
 */
export async function syncCredentialCosts(
  pool: Pool,
  { instanceId, day, costs }: InstanceCosts,
): Promise<CredentialCosts> {
  await pool.query(
    `INSERT INTO catalog.credential_costs AS known (day, credential_id, instance_id, cost_nano)
     SELECT $1, given.credential_id, $2, given.cost_nano
     FROM unnest($3::uuid[], $4::bigint[]) AS given (credential_id, cost_nano)
     WHERE given.cost_nano > 0
     ON CONFLICT (day, credential_id, instance_id) DO UPDATE SET cost_nano = excluded.cost_nano
     WHERE known.cost_nano < excluded.cost_nano`,
    [day, instanceId, [...costs.keys()], [...costs.values()]],
  );
  const { rows } = await pool.query<CostRow>(
    `SELECT credential_id, sum(cost_nano)::bigint AS cost_nano FROM catalog.credential_costs
     WHERE day = $1 AND credential_id = ANY ($2::uuid[]) GROUP BY credential_id`,
    [day, [...costs.keys()]],
  );
  return toCosts(rows);
}

/** Returns the costs of all instances on a UTC day, of the credentials that have any. */
export async function loadCredentialCosts(pool: Pool, day: string): Promise<CredentialCosts> {
  const { rows } = await pool.query<CostRow>(
    `SELECT credential_id, sum(cost_nano)::bigint AS cost_nano FROM catalog.credential_costs
     WHERE day = $1 GROUP BY credential_id`,
    [day],
  );
  return toCosts(rows);
}

/** Deletes the costs of the days before a UTC day. */
export async function deleteCredentialCostsBefore(pool: Pool, day: string): Promise<void> {
  await pool.query('DELETE FROM catalog.credential_costs WHERE day < $1', [day]);
}

const toCosts = (rows: readonly CostRow[]): CredentialCosts =>
  new Map(rows.map(({ credential_id, cost_nano }) => [credential_id, cost_nano]));
