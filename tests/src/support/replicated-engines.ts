import type { EngineAddresses } from '@gateway/local-stack';
import { PostgresCluster, type PostgresServer } from '@gateway/testing';
import { type EngineSetOf, redisSettingsOf, startEngineSet } from './engine-set';

/** Engines that survive the loss of a server, as operators run them. */
export interface ReplicatedEngines {
  readonly addresses: EngineAddresses;
  /** `standby` has each commit of `primary` before it is answered. */
  readonly postgres: { readonly primary: PostgresServer; readonly standby: PostgresServer };
  /** `redis-1` is the primary, `redis-2` its replica. */
  readonly redis: EngineSetOf<'redis-sentinel'>;
  /** `kafka-1` to `kafka-3`. */
  readonly kafka: EngineSetOf<'kafka-cluster'>;
  stop(): Promise<void>;
}

/** Enough for five instances of every service. */
const MAX_CONNECTIONS = '600';

/** @param host address of this machine at which clients reach the engines */
export async function startReplicatedEngines(host: string): Promise<ReplicatedEngines> {
  const cluster = new PostgresCluster(host);
  const started: { stop(): Promise<void> }[] = [{ stop: () => cluster.remove() }];
  const stop = async () => {
    for (const one of started) await one.stop();
  };
  try {
    const postgres = await cluster.createSynchronousPair({ max_connections: MAX_CONNECTIONS });
    const redis = await startEngineSet('redis-sentinel', host);
    started.push(redis);
    const kafka = await startEngineSet('kafka-cluster', host);
    started.push(kafka);
    const { primary, standby } = postgres;
    const servers = `${host}:${primary.port},${host}:${standby.port}`;
    return {
      postgres,
      redis,
      kafka,
      stop,
      addresses: {
        databaseUrl: primary.url.replace(`${host}:${primary.port}`, servers),
        redisUrl: '',
        redisSettings: {
          ...redisSettingsOf(redis),
          REDIS_SENTINELS: redis.sentinelPorts.map((port) => `${host}:${port}`).join(),
          REDIS_SENTINEL_MASTER: 'rates',
          REDIS_SENTINEL_USERNAME: 'billing',
          REDIS_SENTINEL_PASSWORD: redis.passwords.sentinel,
          REDIS_USERNAME: 'billing',
          REDIS_PASSWORD: redis.passwords.billing,
          REDIS_TLS: 'on',
        },
        kafkaBrokers: kafka.ports.map((port) => `${host}:${port}`).join(),
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
