import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedRedis } from '../engines/embedded-redis.cjs';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './engines/embedded-postgres';
import type { ServiceDatabaseUrls } from './service-databases';
import { signalOnExit } from './supervise/signal-on-exit';

/** Addresses of existing engines; absent ones are embedded. */
export interface EngineAddresses {
  /** Login of the owner of all schemas. */
  readonly databaseUrl?: string | undefined;
  /** Logins of the roles of services, if an administrator has created them. */
  readonly serviceDatabaseUrls?: Partial<ServiceDatabaseUrls> | undefined;
  readonly redisUrl?: string | undefined;
  /** Further settings of Redis: `REDIS_SENTINELS` or `REDIS_CLUSTER` in place of a URL, logins and certificates. */
  readonly redisSettings?: EngineSettings | undefined;
  /** Absent: usage is delivered over gRPC. */
  readonly kafkaBrokers?: string | undefined;
  /** Further settings of Kafka: login and certificates. */
  readonly kafkaSettings?: EngineSettings | undefined;
}

export type EngineSettings = Readonly<Record<string, string>>;

export interface StackEngines {
  readonly databaseUrl: string;
  /** Empty if Redis is reached by Sentinels, or is a cluster. */
  readonly redisUrl: string;
  readonly redisSettings: EngineSettings;
  readonly kafkaBrokers: string | undefined;
  readonly kafkaSettings: EngineSettings;
  /** Which engines are embedded. For Kafka, true means that there is none. */
  readonly embedded: { database: boolean; redis: boolean; kafka: boolean };
  /** Pid of the embedded server; undefined for a configured one. */
  postgresPid(): number | undefined;
  stop(): Promise<void>;
}

const RESTART_DELAY_MS = 250;
const MAX_RESTARTS = 5;

export async function startEngines(options: {
  dataDir: string;
  given: EngineAddresses;
  log: (message: string) => void;
  onGiveUp: (error: Error) => void;
}): Promise<StackEngines> {
  const { given } = options;
  const { redisSettings = {}, kafkaSettings = {} } = given;
  const isRedisGiven = Boolean(
    given.redisUrl || redisSettings.REDIS_SENTINELS || redisSettings.REDIS_CLUSTER,
  );
  const [database, redis] = await Promise.allSettled([
    given.databaseUrl ? undefined : supervisePostgres(options),
    isRedisGiven ? undefined : startEmbeddedRedis(),
  ]);
  const stop = async () => {
    if (redis.status === 'fulfilled') await redis.value?.stop();
    if (database.status === 'fulfilled') await database.value?.stop();
  };
  if (database.status === 'rejected' || redis.status === 'rejected') {
    await stop();
    throw database.status === 'rejected' ? database.reason : (redis as PromiseRejectedResult).reason;
  }
  return {
    databaseUrl: given.databaseUrl ?? database.value?.url ?? '',
    redisUrl: given.redisUrl ?? redis.value?.url ?? '',
    redisSettings: isRedisGiven ? redisSettings : {},
    kafkaBrokers: given.kafkaBrokers,
    kafkaSettings,
    embedded: { database: !given.databaseUrl, redis: !isRedisGiven, kafka: !given.kafkaBrokers },
    postgresPid: () => database.value?.pid(),
    stop,
  };
}

interface SupervisedPostgres {
  readonly url: string;
  pid(): number;
  stop(): Promise<void>;
}

/** Starts the embedded server and restarts it on the same port if it exits unexpectedly. */
async function supervisePostgres(options: {
  dataDir: string;
  log: (message: string) => void;
  onGiveUp: (error: Error) => void;
}): Promise<SupervisedPostgres> {
  let stopping = false;
  let restarts = 0;
  let current: Promise<EmbeddedPostgres>;
  let pid = 0;

  const launch = async (): Promise<EmbeddedPostgres> => {
    const postgres = await startEmbeddedPostgres(options);
    const release = signalOnExit(postgres.pid, 'INT');
    pid = postgres.pid;
    postgres.onExit(() => {
      release();
      if (!stopping) current = relaunch();
      current.catch((error) => options.onGiveUp(error));
    });
    return {
      ...postgres,
      async stop() {
        release();
        await postgres.stop();
      },
    };
  };
  const relaunch = async (): Promise<EmbeddedPostgres> => {
    restarts += 1;
    if (restarts > MAX_RESTARTS) throw new Error('PostgreSQL exited too often');
    options.log('PostgreSQL exited; restarting it');
    await sleep(RESTART_DELAY_MS);
    const postgres = await launch();
    // The services are configured with the first address.
    if (postgres.url !== url) throw new Error('PostgreSQL restarted on another port');
    return postgres;
  };

  current = launch();
  const { url } = await current;
  return {
    url,
    pid: () => pid,
    async stop() {
      stopping = true;
      await current.then(
        (postgres) => postgres.stop(),
        () => {},
      );
    },
  };
}
