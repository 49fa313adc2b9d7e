import type { Pool } from '@gateway/runtime';

/** Silent ones without bills are of no more use. */
const FORGET_AFTER = '1 hour';

/** Says that the instance lives, by the database's clock. */
export async function beat(pool: Pool, instanceId: string): Promise<void> {
  await pool.query(
    `INSERT INTO media.instances (id, seen_at) VALUES ($1, now())
     ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
    [instanceId],
  );
}

/** It ends, and others need not wait before they see to what it leaves. */
export async function leave(pool: Pool, instanceId: string): Promise<void> {
  await pool.query('DELETE FROM media.instances WHERE id = $1', [instanceId]);
}

export async function forgetLostInstances(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM media.instances i WHERE seen_at < now() - $1::interval
       AND NOT EXISTS (SELECT 1 FROM media.bills b WHERE b.instance_id = i.id)`,
    [FORGET_AFTER],
  );
}
