import type { Pool } from '@gateway/postgres';
import { type HeardInstance, UNHEARD } from '../billing/rules/failure-detector';

/** Says that the instance lives. */
export async function beat(pool: Pool, instanceId: string): Promise<void> {
  await pool.query(
    `INSERT INTO media.instances AS i (id, seen_at) VALUES ($1, now())
     ON CONFLICT (id) DO UPDATE SET seen_at = now(), beats = i.beats + 1`,
    [instanceId],
  );
}

/** It ends, and others need not wait before they see to what it leaves. */
export async function leave(pool: Pool, instanceId: string): Promise<void> {
  await pool.query('UPDATE media.instances SET beats = -1 WHERE id = $1', [instanceId]);
}

/** With those that were forgotten, or had left, and have bills all the same: written late, by whoever froze in between. */
export async function listOthers(pool: Pool, instanceId: string): Promise<HeardInstance[]> {
  const { rows } = await pool.query<HeardInstance>(
    `SELECT id, beats FROM media.instances WHERE id <> $1
     UNION ALL
     SELECT DISTINCT b.instance_id, ${UNHEARD}::bigint FROM media.bills b
     WHERE b.instance_id <> $1 AND NOT EXISTS (SELECT FROM media.instances i WHERE i.id = b.instance_id)`,
    [instanceId],
  );
  return rows;
}

/** Silent ones without bills; one that comes back is new. With bills it is by them that others find these. */
export async function forgetInstances(pool: Pool, silent: readonly HeardInstance[]): Promise<void> {
  await pool.query(
    `DELETE FROM media.instances i USING unnest($1::uuid[], $2::bigint[]) AS silent (id, beats)
     WHERE i.id = silent.id AND i.beats = silent.beats
       AND NOT EXISTS (SELECT 1 FROM media.bills b WHERE b.instance_id = i.id)`,
    [silent.map(({ id }) => id), silent.map(({ beats }) => beats)],
  );
}
