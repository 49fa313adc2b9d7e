import { type Queryable, rowsOf, statement } from '../../store/statement';

// A process of an earlier epoch that resumes must not be taken for its successor.
const SEE = statement(
  'see-owner',
  `INSERT INTO billing.owners AS o (id, epoch, epoch_since, last_seen)
   VALUES ($1, $2, billing.clock(), billing.clock())
   ON CONFLICT (id) DO UPDATE SET
     epoch = excluded.epoch,
     epoch_since = CASE WHEN o.epoch = excluded.epoch THEN o.epoch_since ELSE excluded.epoch_since END,
     last_seen = excluded.last_seen
   WHERE o.epoch <= excluded.epoch`,
);

export async function recordHeartbeat(on: Queryable, ownerId: string, epoch: bigint): Promise<void> {
  await rowsOf(on, SEE, [ownerId, epoch]);
}
