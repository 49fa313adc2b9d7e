import type { Logger, Pool } from '@gateway/runtime';
import { every, type Repeated } from './every';
import type { Settings } from './settings';
import { expireAbandonedHolds } from './store/expire-holds';
import { ensurePartitions } from './store/partitions';
import { reconcile } from './store/reconcile';

/** What billing does by itself. Resolves when this month's partitions have been seen to. */
export async function startJobs(settings: Settings, pool: Pool, log: Logger): Promise<Repeated[]> {
  const partitions = every(settings.PARTITION_INTERVAL_MS, 'partitions', log, () =>
    ensurePartitions(pool, Date.now()),
  );
  await partitions.firstRun;
  const sweep = every(settings.SWEEP_INTERVAL_MS, 'sweep', log, async () => {
    const expired = await expireAbandonedHolds(pool, settings.HOLD_GRACE_MS);
    if (expired > 0) log.warn({ expired }, 'holds of lost owners expired');
  });
  const watch = every(settings.RECONCILE_INTERVAL_MS, 'reconcile', log, async () => {
    const { driftNano } = await reconcile(pool);
    if (driftNano !== 0n) log.error({ driftNano: String(driftNano) }, 'figures differ from their rows');
  });
  return [partitions, sweep, watch];
}
