import { startEmbeddedRedisProcess } from '@gateway/local-stack';
import { createLogger, parseEnv } from '@gateway/process';
import { until } from '@gateway/testing';
import { connectRedis } from '../rates/redis/connect-redis';
import { type RedisConnection, type RedisScript, redisScript } from '../rates/redis/redis-connection';
import { ratesKey } from '../rates/redis/redis-rates';
import { redisOptions, redisSettings } from '../rates/redis/redis-settings';

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

/** A connection whose scripts are run on any of its servers. */
export interface TestRedisConnection extends RedisConnection {
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<number[]>;
}

export async function connectTestRedis(url: string): Promise<TestRedisConnection> {
  const options = redisOptions(parseEnv(redisSettings, { REDIS_URL: url }))!;
  const redis = await connectRedis(options, createLogger('test', 'silent'));
  await until(() => redis.up);
  const server = redis.serverOf('')!;
  return Object.assign(redis, { run: server.run.bind(server) });
}

const FORGET = redisScript(`return { redis.call('DEL', KEYS[1]) }`);

/** Deletes the rate windows of one key, as a flush deletes all. */
export async function forgetRates(redis: RedisConnection, keyId: string): Promise<void> {
  const server = redis.serverOf(keyId)!;
  await server.run(FORGET, [ratesKey(server.runId, keyId)], []);
}
