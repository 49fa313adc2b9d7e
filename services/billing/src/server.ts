import path from 'node:path';
import { awaitMigrations, createPool, directUrl, type Pool, ping } from '@gateway/postgres';
import { type Logger, type RunningService, startAdminServer } from '@gateway/process';
import { FairSemaphore } from '@gateway/quota';
import { createTrust, startGrpcServer } from '@gateway/rpc';
import { startJobs } from './jobs';
import { KeyListener } from './keys/store/key-listener';
import { reconcile } from './ledger/store/reconcile';
import { type BillingMetrics, createBillingMetrics } from './metrics';
import { createReservations, createSettlements, QUEUE_CONNECTIONS } from './queues';
import { connectRedis } from './rates/redis/connect-redis';
import type { RedisConnection } from './rates/redis/redis-connection';
import { RedisRates } from './rates/redis/redis-rates';
import { noRates } from './rates/rules/no-rates';
import type { RateLimiter } from './rates/rules/rate-limiter';
import { loadRecentUsage } from './rates/store/load-recent-usage';
import { KeyWatchers } from './rpc/key-watchers';
import { ReserveStreams } from './rpc/reserve';
import { billingService } from './rpc/service';
import { readSettings, type Settings } from './settings';
import { UsageConsumer } from './settle/kafka/usage-consumer';

const MIGRATIONS = path.join(__dirname, '../migrations');
const STOP_GRACE_MS = 5_000;
/** More connections would only share the same processors. */
const LIST_CONNECTIONS = 4;
/** For lists and sums of an account, which may be long: one connection is left for those of operators. */
const LISTS = {
  concurrency: LIST_CONNECTIONS - 1,
  perHolder: 2,
  maxWaiting: 256,
  maxWaitingPerHolder: 16,
  maxWaitMs: 1_500,
};
const CONNECTIONS = 10;
/**
 * For changes by an account's users. They wait for the account's lock with a connection, and delay a batch of calls that
 * needs the lock. One at a time per account: otherwise an account could occupy every connection that resolves keys, and
 * delay the calls of others.
 */
const CHANGES = {
  concurrency: CONNECTIONS / 2,
  perHolder: 1,
  maxWaiting: 256,
  maxWaitingPerHolder: 64,
  maxWaitMs: 2_000,
};

export async function startBilling(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const trust = createTrust('billing', settings, log);
  const { pool, moneyPool, listPool } = createPools(settings.DATABASE_URL, log);
  await awaitMigrations({ pool, schema: 'billing', directory: MIGRATIONS, log });
  const jobs = await startJobs(settings, pool, log);

  const metrics = createBillingMetrics(() => reconcile(pool));
  const redis = settings.redis && (await connectRedis(settings.redis, log));
  const limiter = createLimiter(redis, { moneyPool, metrics, log });
  const reservations = createReservations(limiter, { pool: moneyPool, metrics, log });
  const settlements = createSettlements(limiter, settings.ABANDONED_COST_LIMIT_USD, {
    pool: moneyPool,
    metrics,
    log,
  });
  const reserveStreams = new ReserveStreams({
    submit: (call) => reservations.submit(call),
    report: (reports) => void limiter.report(reports),
    onReply: (result) => metrics.replied(result),
    log,
  });
  const watchers = new KeyWatchers(() => listener.up);
  const listener = new KeyListener({
    url: directUrl(settings),
    log,
    onChanges: (changes) => watchers.publish(changes),
    onLost: () => watchers.endAll(),
  });
  await listener.started;
  const consumer = startConsumer(settings, log, {
    settle: (deliveries) => Promise.all(deliveries.map((delivery) => settlements.submit(delivery))),
    onUp: (up) => metrics.consumerUp.set(up ? 1 : 0),
    onWeakTopics: (topics) => metrics.weakTopics.set(topics),
  });
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: metrics.registry,
    // Not Kafka: without it calls go on, and their events wait in journals. Nor a Redis that has been up once: all
    // instances would become unready together, and keys without rate limits don't need it.
    certificateExpiry: () => trust.certificateExpiry(),
    checks: {
      database: () => ping(pool),
      key_listener: () => listener.up,
      ...(redis && { redis: () => redis.hasConnected }),
    },
  });
  const settle = settlements.submit.bind(settlements);
  const peppers = settings.KEY_PEPPER;
  const server = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    trust,
    log,
    services: [
      billingService({
        pool,
        listPool,
        lists: new FairSemaphore(LISTS),
        changes: new FairSemaphore(CHANGES),
        peppers,
        cell: settings.cell,
        abandonedCostLimitNano: settings.ABANDONED_COST_LIMIT_USD,
        watchers,
        reserveStreams,
        settle,
        log,
      }),
    ],
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
      await Promise.all([pool.end(), moneyPool.end(), listPool.end(), redis?.stop(), admin.stop()]);
    },
  };
}

/**
 * Money has its own connections, so that no list, sweep or scrape delays a call; lists have their own, so that they don't
 * delay resolving a key.
 */
function createPools(url: string, log: Logger) {
  return {
    pool: createPool({ url, log, maxConnections: CONNECTIONS }),
    moneyPool: createPool({
      url,
      log,
      maxConnections: QUEUE_CONNECTIONS,
      statementTimeoutMs: 4_000,
      // An instance that freezes while holding locks must not fail the calls of the others.
      idleInTransactionTimeoutMs: 2_000,
      indexesOnly: true,
      genericPlans: true,
    }),
    // Together with the wait for the semaphore these end before the callers' timeout of 5 s.
    listPool: createPool({
      url,
      log,
      maxConnections: LIST_CONNECTIONS,
      connectTimeoutMs: 1_000,
      statementTimeoutMs: 2_000,
      // The best index depends on the account and the query; a sum over one account is never worth a scan of all rows,
      // though for a large account the planner may estimate so.
      planPerExecution: true,
      indexesOnly: true,
    }),
  };
}

function createLimiter(
  redis: RedisConnection | undefined,
  { moneyPool, metrics, log }: { moneyPool: Pool; metrics: BillingMetrics; log: Logger },
): RateLimiter {
  if (!redis) {
    log.warn('no Redis: keys with rate limits are refused');
    return noRates;
  }
  metrics.watchRedis(() => redis.up);
  const rates = new RedisRates({
    redis,
    recall: (keyIds) => loadRecentUsage(moneyPool, keyIds),
    onRebuilt: (keys) => metrics.ratesRebuilt.inc(keys),
    onFailed: (error) => {
      metrics.ratesFailed.inc();
      log.warn({ err: error }, 'rates unavailable');
    },
  });
  return metrics.observeRates(rates);
}

function startConsumer(
  settings: Settings,
  log: Logger,
  events: Pick<ConstructorParameters<typeof UsageConsumer>[0], 'settle' | 'onUp' | 'onWeakTopics'>,
): UsageConsumer | undefined {
  const { kafka: connection, KAFKA_REPLICATION_FACTOR, KAFKA_MIN_INSYNC_REPLICAS } = settings;
  if (!connection) return undefined;
  const replication = {
    replicationFactor: KAFKA_REPLICATION_FACTOR,
    minInsyncReplicas: KAFKA_MIN_INSYNC_REPLICAS,
  };
  return new UsageConsumer({ connection, replication, log, ...events });
}
