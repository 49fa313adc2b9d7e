import type { InstanceHeartbeats, Owner } from '@gateway/call-billing';
import type { Pool } from '@gateway/postgres';

/** What is new of a call; members that are absent keep their value. Each is a JSON text. */
export interface JournalRow {
  dispatched?: string;
  progress?: string;
  final?: string;
}

export interface StoredRow {
  readonly requestId: string;
  readonly dispatched: string | null;
  readonly progress: string | null;
  readonly final: string | null;
}

export interface JournalChanges {
  readonly rows: ReadonlyMap<string, JournalRow>;
  readonly removed: ReadonlySet<string>;
}

const ROWS_PER_PAGE = 1_000;

export async function insertOwner(pool: Pool, ownerId: string): Promise<void> {
  await pool.query('INSERT INTO chat.journal_owners (id) VALUES ($1)', [ownerId]);
}

/** Returns false if another instance has taken over the journal. */
export async function beat(pool: Pool, { id, epoch }: Owner): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE chat.journal_owners SET beats = beats + 1 WHERE id = $1 AND epoch = $2',
    [id, epoch],
  );
  return rowCount === 1;
}

export async function listOthers(pool: Pool, ownerId: string): Promise<InstanceHeartbeats[]> {
  const { rows } = await pool.query<InstanceHeartbeats>(
    'SELECT id, beats FROM chat.journal_owners WHERE id <> $1',
    [ownerId],
  );
  return rows;
}

/**
 * Writes the changes, all or none, and again without harm if an answer was lost. Returns false, and writes nothing, if another
 * instance has taken over the journal.
 * @param durable whether they must survive a crash of the server; else they survive this process only, which saves a sync
 */
export async function writeChanges(
  pool: Pool,
  { id, epoch }: Owner,
  { rows, removed }: JournalChanges,
  durable: boolean,
): Promise<boolean> {
  const changed = [...rows.values()];
  const { rows: found } = await pool.query<{ owners: bigint }>({
    name: 'journal-changes',
    text: `WITH mode AS (SELECT set_config('synchronous_commit', $1, true)),
       -- An instance that takes over waits until this statement has ended.
       owner AS (SELECT id FROM chat.journal_owners WHERE id = $2 AND epoch = $3 FOR SHARE),
       written AS (
         INSERT INTO chat.journal AS j (request_id, owner_id, dispatched, progress, final)
         SELECT new.request_id, owner.id, new.dispatched, new.progress, new.final
         FROM owner, unnest($4::uuid[], $5::text[], $6::text[], $7::text[])
           AS new (request_id, dispatched, progress, final)
         ON CONFLICT (request_id) DO UPDATE SET
           owner_id = EXCLUDED.owner_id,
           dispatched = coalesce(EXCLUDED.dispatched, j.dispatched),
           progress = coalesce(EXCLUDED.progress, j.progress),
           final = coalesce(EXCLUDED.final, j.final)),
       removed AS (DELETE FROM chat.journal WHERE request_id = ANY ($8::uuid[]) AND EXISTS (SELECT FROM owner))
     SELECT (SELECT count(*) FROM owner) AS owners FROM mode`,
    values: [
      durable ? 'on' : 'off',
      id,
      epoch,
      [...rows.keys()],
      changed.map(({ dispatched }) => dispatched),
      changed.map(({ progress }) => progress),
      changed.map(({ final }) => final),
      [...removed],
    ],
  });
  return found[0]?.owners === 1n;
}

/** Takes over the journal of an owner that has this number of heartbeats. Returns its new epoch; undefined if it has beaten since. */
export async function takeOver(pool: Pool, { id, beats }: InstanceHeartbeats): Promise<Owner | undefined> {
  const { rows } = await pool.query<{ epoch: bigint }>(
    `UPDATE chat.journal_owners SET epoch = epoch + 1, beats = greatest(beats, 0) + 1
     WHERE id = $1 AND beats = $2 RETURNING epoch`,
    [id, beats],
  );
  return rows[0] && { id, epoch: rows[0].epoch };
}

/** Yields the rows of an owner. */
export async function* rowsOf(pool: Pool, ownerId: string): AsyncIterable<StoredRow> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await pool.query<StoredRow>(
      `SELECT request_id AS "requestId", dispatched, progress, final FROM chat.journal
       WHERE owner_id = $1 AND request_id > $2 ORDER BY request_id LIMIT ${ROWS_PER_PAGE}`,
      [ownerId, after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_PAGE) return;
    after = last.requestId;
  }
}

/** Deletes an owner without rows, at this epoch. */
export async function deleteOwner(pool: Pool, { id, epoch }: Owner): Promise<void> {
  await pool.query(
    `DELETE FROM chat.journal_owners o WHERE id = $1 AND epoch = $2
       AND NOT EXISTS (SELECT FROM chat.journal j WHERE j.owner_id = o.id)`,
    [id, epoch],
  );
}

/** The process stops: others need not wait before they take over what is left. */
export async function leave(pool: Pool, owner: Owner): Promise<void> {
  await pool.query('UPDATE chat.journal_owners SET beats = -1 WHERE id = $1 AND epoch = $2', [
    owner.id,
    owner.epoch,
  ]);
  await deleteOwner(pool, owner);
}
