import path from 'node:path';
import {
  createPool,
  type Logger,
  migrate,
  ping,
  type RunningService,
  startAdminServer,
  startGrpcServer,
} from '@gateway/runtime';
import type { CallToAdmit } from './domain/admission';
import type { Delivery, DeliveryOutcome } from './domain/delivery';
import { GroupCommit } from './domain/group-commit';
import { unlimitedRates } from './domain/rate-limiter';
import { type ReserveResult, reserveCalls } from './domain/reserver';
import { UsageConsumer } from './events/usage-consumer';
import { every } from './every';
import { createBillingMetrics } from './metrics';
import { KeyWatchers } from './rpc/key-watchers';
import { ReserveStreams } from './rpc/reserve';
import { billingService } from './rpc/service';
import { readSettings } from './settings';
import { expireAbandonedHolds } from './store/expire-holds';
import { holdCalls } from './store/hold-calls';
import { KeyListener } from './store/key-listener';
import { ensurePartitions } from './store/partitions';
import { reconcile } from './store/reconcile';
import { settleDeliveries } from './store/settle-deliveries';
import { isTransient } from './store/statement';

const MIGRATIONS = path.join(__dirname, '../migrations');
const STOP_GRACE_MS = 5_000;
/** Transactions of each kind, reserving and settling, that run at once; those of one account don't. */
const WORKERS = 2;

export async function startBilling(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const pool = createPool({ url: settings.DATABASE_URL, log, maxConnections: 10 });
  // Money has connections of its own, so that no list or sweep can keep a call waiting.
  const moneyPool = createPool({
    url: settings.DATABASE_URL,
    log,
    maxConnections: 2 * WORKERS,
    statementTimeoutMs: 4_000,
    // An instance that freezes with locks in its hand must not fail the calls of the others.
    idleInTransactionTimeoutMs: 2_000,
    pipeline: true,
  });
  await migrate({ pool, schema: 'billing', directory: MIGRATIONS, log });
  const partitions = every(settings.PARTITION_INTERVAL_MS, 'partitions', log, () =>
    ensurePartitions(pool, Date.now()),
  );
  await partitions.firstRun;

  const metrics = createBillingMetrics(() => reconcile(pool));
  const reservations = new GroupCommit<CallToAdmit, ReserveResult>({
    run: (calls) =>
      metrics.timed('reserve', calls.length, () =>
        reserveCalls(calls, unlimitedRates, (asked, refused) => holdCalls(moneyPool, asked, refused)),
      ),
    accountOf: (call) => call.accountId,
    isTransient,
    maxBatch: 128,
    maxWaiting: 4_096,
    workers: WORKERS,
    deadlineMs: 5_000,
  });
  const settlements = new GroupCommit<Delivery, DeliveryOutcome>({
    run: (deliveries) =>
      metrics.timed('settle', deliveries.length, () => settleDeliveries(moneyPool, deliveries)),
    accountOf: ({ event }) => ('accountId' in event ? event.accountId : ''),
    isTransient,
    maxBatch: 256,
    maxWaiting: 20_000,
    workers: WORKERS,
    deadlineMs: 10_000,
  });
  const watchers = new KeyWatchers(() => listener.up);
  const listener = new KeyListener({
    url: settings.DATABASE_URL,
    log,
    onChanges: (changes) => watchers.publish(changes),
    onLost: () => watchers.endAll(),
  });
  const reserveStreams = new ReserveStreams({
    submit: (call) => reservations.submit(call),
    onReply: (result) => metrics.replies.inc({ result }),
    log,
  });
  const jobs = [
    partitions,
    every(settings.SWEEP_INTERVAL_MS, 'sweep', log, async () => {
      const expired = await expireAbandonedHolds(pool, settings.HOLD_GRACE_MS);
      if (expired > 0) log.warn({ expired }, 'holds of lost owners expired');
    }),
    every(settings.RECONCILE_INTERVAL_MS, 'reconcile', log, async () => {
      const found = await reconcile(pool);
      if (found.driftNano !== 0n) log.error({ driftNano: String(found.driftNano) }, 'the ledger drifts');
    }),
  ];
  const consumer =
    settings.KAFKA_BROKERS &&
    new UsageConsumer({
      brokers: settings.KAFKA_BROKERS,
      topicPrefix: settings.KAFKA_TOPIC_PREFIX,
      log,
      settle: (deliveries) => Promise.all(deliveries.map((delivery) => settlements.submit(delivery))),
      onUp: (up) => metrics.consumerUp.set(up ? 1 : 0),
    });
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: metrics.registry,
    checks: { database: () => ping(pool), key_listener: () => listener.up },
  });
  const server = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    secrets: settings.SERVICE_SECRET,
    services: billingService({
      pool,
      peppers: settings.KEY_PEPPER,
      watchers,
      reserveStreams,
      settle: (delivery) => settlements.submit(delivery),
      log,
    }),
  });
  return {
    ports: { grpc: server.port, admin: admin.port },
    async stop() {
      const stopped = server.stop(STOP_GRACE_MS);
      watchers.endAll();
      reserveStreams.drain();
      await Promise.all([stopped, consumer?.stop()]);
      await Promise.all(jobs.map((job) => job.stop()));
      await Promise.all([reservations.idle(), settlements.idle(), listener.close()]);
      await Promise.all([pool.end(), moneyPool.end(), admin.stop()]);
    },
  };
}
