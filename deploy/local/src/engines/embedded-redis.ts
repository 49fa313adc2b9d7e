import { createRedisMock } from 'js-redis-server';

export interface EmbeddedRedis {
  url: string;
  stop(): Promise<void>;
}

/** A Redis server inside this process, on a free port of 127.0.0.1. It keeps nothing on disk. */
export async function startEmbeddedRedis(): Promise<EmbeddedRedis> {
  const server = await createRedisMock({ port: 0, compatibility: 'redis-7.0' });
  return { url: server.url, stop: () => server.close() };
}
