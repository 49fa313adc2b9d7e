import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, type PoolClient, withTransaction } from '@gateway/runtime';
import { uuidFloor } from '../domain/request-id';
import { isLockTimeout } from './statement';

const TABLES = ['holds', 'usage_records'];
/** All calls that end wait behind whoever waits for a lock of the whole table, so rather often than long. */
const LOCK_TIMEOUT_MS = 200;
const LOCK_TRIES = 8;
const LOCK_PAUSE_MS = 500;

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
  await withBriefLocks(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('billing.partitions'))`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF billing.${table}
       FOR VALUES FROM ('${uuidFloor(start)}') TO ('${uuidFloor(end)}')`,
    );
  });
}

/** Fails when something keeps the table for longer than all tries; the next run may have more luck. */
async function withBriefLocks(pool: Pool, work: (client: PoolClient) => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await withTransaction(pool, async (client) => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await work(client);
      });
      return;
    } catch (error) {
      if (!isLockTimeout(error) || tries === LOCK_TRIES) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

const DAY_MS = 86_400_000;
/** Rows of the default partition that one run takes with it. */
const SWEEP_ROWS = 10_000;

/** Drops the months of records that ended so many days ago. */
export async function dropOldRecords(pool: Pool, retentionDays: number, nowMs: number): Promise<void> {
  const before = new Date(nowMs - retentionDays * DAY_MS);
  const month = before.toISOString().slice(0, 7).replace('-', '_');
  const { rows } = await pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
     WHERE inhparent = 'billing.usage_records'::regclass
       AND inhrelid::regclass::text ~ '_[0-9]{4}_[0-9]{2}$' AND right(inhrelid::regclass::text, 7) < $1`,
    [month],
  );
  for (const { name } of rows) {
    await withBriefLocks(pool, (client) => client.query(`DROP TABLE IF EXISTS ${name}`));
  }
  await pool.query(
    `DELETE FROM billing.usage_records_default WHERE request_id IN (
       SELECT request_id FROM billing.usage_records_default WHERE recorded_at < $1 LIMIT $2)`,
    [before, SWEEP_ROWS],
  );
  await pool.query('DELETE FROM billing.refusal_reporters WHERE last_seen < $1', [before]);
}
