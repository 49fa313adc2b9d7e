import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { fromHoldRow, HOLD_COLUMNS, type HoldRow } from '../../reserve/store/holds';
import { rowsOf, statement } from '../../store/statement';
import { ifAny, inBatch } from '../../store/two-round-trip-transaction';
import { expireHold } from '../rules/charge-hold';
import { endHolds } from './end-holds';

const BATCH = 500;

const LEAD = statement('lead-sweep', `SELECT pg_try_advisory_xact_lock(hashtext('billing.sweep')) AS leads`);

// Orphaned: the owner has been silent for the grace, or has been in a later epoch for that long without settling or releasing the
// hold.
const FIND = statement(
  'find-orphaned-holds',
  `SELECT ${HOLD_COLUMNS}
   FROM billing.holds h LEFT JOIN billing.owners o ON o.id = h.owner_id,
     LATERAL (SELECT billing.clock() -
       CASE WHEN h.makes_task THEN $3::bigint ELSE $1::bigint END * interval '1 millisecond' AS at) cutoff
   WHERE h.state = 'open' AND h.created_at < cutoff.at
     AND (o.id IS NULL OR o.last_seen < cutoff.at
       OR (o.epoch > h.owner_epoch AND o.epoch_since < cutoff.at))
     AND ($2::uuid[] IS NULL OR h.request_id = ANY($2))
   ORDER BY h.request_id LIMIT ${BATCH}`,
);

/** How long a hold waits for an owner without heartbeats. */
export interface HoldGrace {
  readonly callMs: number;
  /** For calls that create a task. */
  readonly taskMs: number;
}

/** Expires one batch of abandoned holds and returns their number; 0 while another instance does so. */
export function expireOrphanedHolds(pool: Pool, grace: HoldGrace): Promise<number> {
  return withTransaction(pool, async (client) => {
    const [lead] = await rowsOf<{ leads: boolean }>(client, LEAD, []);
    if (!lead?.leads) return 0;
    const found = await findAbandoned(client, grace, null);
    if (found.length === 0) return 0;
    await lockAccounts(
      client,
      found.map((hold) => hold.account_id),
    );
    // Checked again under the locks: some may have been settled meanwhile, or their owner may be alive again.
    const abandoned = await findAbandoned(
      client,
      grace,
      found.map((hold) => hold.request_id),
    );
    const ends = abandoned.map((row) => expireHold(fromHoldRow(row)));
    await inBatch(client, (batch) => ifAny(ends, (list) => endHolds(batch, list)));
    return abandoned.length;
  });
}

const findAbandoned = (client: PoolClient, grace: HoldGrace, among: string[] | null): Promise<HoldRow[]> =>
  rowsOf<HoldRow>(client, FIND, [grace.callMs, among, grace.taskMs]);
