import type { Pool } from '@gateway/postgres';
import { every, type Logger, type Repeated } from '@gateway/process';
import { reconcile } from './ledger/store/reconcile';
import { forgetFreeCalls } from './reserve/store/free-calls';
import type { Settings } from './settings';
import { forgetAbandonedCosts, limitAgain } from './settle/store/abandoned-costs';
import { Sweeper } from './settle/sweeper';
import { dropOldRecords, ensurePartitions } from './store/partitions';
import { forgetAccessLog } from './usage/store/access-log';

const DAY_MS = 86_400_000;

/** Starts billing's periodic jobs. Resolves when this month's partitions exist. */
export async function startJobs(settings: Settings, pool: Pool, log: Logger): Promise<Repeated[]> {
  const partitions = every(settings.PARTITION_INTERVAL_MS, 'partitions', log, async () => {
    await ensurePartitions(pool);
    await dropOldRecords(pool, settings.REQUEST_RETENTION_DAYS);
    await forgetAccessLog(pool, settings.ACCESS_LOG_RETENTION_DAYS * DAY_MS, Date.now());
  });
  await partitions.firstRun;
  // The setting may have changed.
  await limitAgain(pool, settings.ABANDONED_COST_LIMIT_USD);
  const sweeper = new Sweeper({
    pool,
    grace: { callMs: settings.HOLD_GRACE_MS, taskMs: settings.TASK_HOLD_GRACE_MS },
    log,
  });
  const sweep = every(settings.SWEEP_INTERVAL_MS, 'sweep', log, async () => {
    await sweeper.run();
    await forgetFreeCalls(pool);
    await forgetAbandonedCosts(pool);
  });
  const watch = every(settings.RECONCILE_INTERVAL_MS, 'reconcile', log, async () => {
    const { driftNano } = await reconcile(pool);
    if (driftNano !== 0n) log.error({ driftNano: String(driftNano) }, 'ledger reconciliation failed');
  });
  return [partitions, sweep, watch];
}
