import { startEmbeddedRedisProcess } from '@gateway/local-stack';
import { createLogger } from '@gateway/process';
import { until } from '@gateway/testing';
import { connectRedis, type RedisConnection, redisScript } from '../rates/redis/redis';
import { ratesKey } from '../rates/redis/redis-rates';

export interface TestRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Uses the shared server of TEST_REDIS_URL, or starts an embedded one that ends with the test. */
export async function createTestRedis(): Promise<TestRedis> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, stop: async () => {} };
  return startEmbeddedRedisProcess();
}

export async function connectTestRedis(url: string): Promise<RedisConnection> {
  const redis = await connectRedis(url, createLogger('test', 'silent'));
  await until(() => redis.up);
  return redis;
}

const FORGET = redisScript(`return { redis.call('DEL', KEYS[1]) }`);

/** Deletes the rate windows of one key, as a flush deletes all. */
export async function forgetRates(redis: RedisConnection, keyId: string): Promise<void> {
  await redis.run(FORGET, [ratesKey(redis.runId, keyId)], []);
}
