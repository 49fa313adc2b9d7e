export interface EmbeddedRedis {
  url: string;
  stop(): Promise<void>;
}

/** Starts a Redis server in this process, on a free port of 127.0.0.1. It stores nothing on disk. */
export function startEmbeddedRedis(): Promise<EmbeddedRedis>;
