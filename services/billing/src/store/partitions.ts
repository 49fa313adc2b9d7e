import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import { isLockTimeout } from './statement';

const TABLES = ['holds', 'usage_records'];
/** Settlements wait behind a waiter for a lock of the whole table, so attempts are frequent rather than long. */
const LOCK_TIMEOUT_MS = 200;
const LOCK_TRIES = 8;
const LOCK_PAUSE_MS = 500;

/** Creates this month's and the next month's partition of each table that is partitioned by time. */
export async function ensurePartitions(pool: Pool): Promise<void> {
  for (const table of TABLES) {
    for (const ahead of [0, 1]) {
      // Fails if the default partition already has rows of that month; they stay there.
      await withBriefLocks(pool, (client) =>
        client.query('SELECT billing.create_partition($1, $2)', [table, ahead]),
      );
    }
  }
}

/** Fails if the table is locked for longer than all attempts; the next run tries again. */
async function withBriefLocks<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await withTransaction(pool, async (client) => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        return work(client);
      });
    } catch (error) {
      if (!isLockTimeout(error) || tries === LOCK_TRIES) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Rows of the default partition that one run deletes. */
const SWEEP_ROWS = 10_000;

/** Drops the months of records that ended that many days ago. */
export async function dropOldRecords(pool: Pool, retentionDays: number): Promise<void> {
  while (await withBriefLocks(pool, (client) => dropOldPartition(client, retentionDays)));
  const before = 'billing.clock() - make_interval(days => $1)';
  await pool.query(
    `DELETE FROM billing.usage_records_default WHERE request_id IN (
       SELECT request_id FROM billing.usage_records_default WHERE recorded_at < ${before} LIMIT $2)`,
    [retentionDays, SWEEP_ROWS],
  );
  await pool.query(`DELETE FROM billing.refusal_reporters WHERE last_seen < ${before}`, [retentionDays]);
}

/** Returns the oldest; null if none is old enough. */
async function dropOldPartition(client: PoolClient, retentionDays: number): Promise<string | null> {
  const { rows } = await client.query<{ dropped: string | null }>(
    'SELECT billing.drop_old_partition($1) AS dropped',
    [retentionDays],
  );
  return rows[0]?.dropped ?? null;
}
