import { type Pool, withTransaction } from '@gateway/runtime';

const TABLES = ['holds', 'usage_records'];
const LOCK_TIMEOUT_MS = 2_000;

/** This month's and the next's partition of each table that is partitioned by time. */
export async function ensurePartitions(pool: Pool, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  for (const table of TABLES) {
    for (const ahead of [0, 1]) {
      const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
      await ensurePartition(pool, table, start);
    }
  }
}

/** Fails when the default partition already holds rows of that month; they then stay there. */
async function ensurePartition(pool: Pool, table: string, start: Date): Promise<void> {
  const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
  const name = `billing.${table}_${start.toISOString().slice(0, 7).replace('-', '_')}`;
  const found = await pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name]);
  if (found.rows[0]?.found) return;
  await withTransaction(pool, async (client) => {
    // Waiting for the lock stands in the way of every call, so better try again later.
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('billing.partitions'))`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF billing.${table}
       FOR VALUES FROM ('${uuidFloor(start)}') TO ('${uuidFloor(end)}')`,
    );
  });
}

/** The least UUIDv7 of a moment. */
export function uuidFloor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
