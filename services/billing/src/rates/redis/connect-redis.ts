import type { Logger } from '@gateway/process';
import { RedisCluster } from './redis-cluster';
import type { RedisConnection } from './redis-connection';
import { RedisSentinel } from './redis-sentinel';
import { RedisServerConnection } from './redis-server';
import type { RedisOptions } from './redis-settings';

/** Connects to the Redis for rates. Billing starts without it; commands fail immediately while it is not connected. */
export async function connectRedis(
  { target, ...access }: RedisOptions,
  log: Logger,
): Promise<RedisConnection> {
  if (target.kind === 'cluster') return RedisCluster.start({ ...target, ...access, log });
  if (target.kind === 'sentinel') {
    const { kind: _, credentials: sentinelCredentials, ...sentinel } = target;
    return RedisSentinel.start({ ...sentinel, ...access, sentinelCredentials, log });
  }
  const server = await RedisServerConnection.start({ ...target, ...access, log });
  return {
    get up() {
      return server.runId !== undefined;
    },
    get hasConnected() {
      return server.hasConnected;
    },
    serverOf: () => server,
    async stop() {
      server.stop();
    },
  };
}
