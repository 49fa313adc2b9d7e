import { type InstanceHeartbeats, WITHOUT_HEARTBEAT } from '@gateway/call-billing';
import type { Pool } from '@gateway/postgres';

/** Stores a heartbeat. */
export async function beat(pool: Pool, instanceId: string): Promise<void> {
  await pool.query(
    `INSERT INTO media.instances AS i (id, seen_at) VALUES ($1, now())
     ON CONFLICT (id) DO UPDATE SET seen_at = now(), beats = i.beats + 1`,
    [instanceId],
  );
}

/** The instance ends, and others need not wait before they take over its bills. */
export async function markStopped(pool: Pool, instanceId: string): Promise<void> {
  await pool.query('UPDATE media.instances SET beats = -1 WHERE id = $1', [instanceId]);
}

/** Includes instances that were forgotten or have left but have bills: written late by an instance that was frozen. */
export async function listOthers(pool: Pool, instanceId: string): Promise<InstanceHeartbeats[]> {
  const { rows } = await pool.query<InstanceHeartbeats>(
    `SELECT id, beats FROM media.instances WHERE id <> $1
     UNION ALL
     SELECT DISTINCT b.instance_id, ${WITHOUT_HEARTBEAT}::bigint FROM media.bills b
     WHERE b.instance_id <> $1 AND NOT EXISTS (SELECT FROM media.instances i WHERE i.id = b.instance_id)`,
    [instanceId],
  );
  return rows;
}

/** Deletes silent instances without bills; one that resumes is new. Instances with bills are found by these. */
export async function forgetInstances(pool: Pool, silent: readonly InstanceHeartbeats[]): Promise<void> {
  await pool.query(
    `DELETE FROM media.instances i USING unnest($1::uuid[], $2::bigint[]) AS silent (id, beats)
     WHERE i.id = silent.id AND i.beats = silent.beats
       AND NOT EXISTS (SELECT 1 FROM media.bills b WHERE b.instance_id = i.id)`,
    [silent.map(({ id }) => id), silent.map(({ beats }) => beats)],
  );
}
