export interface EmbeddedRedis {
  url: string;
  stop(): Promise<void>;
}

/** A Redis server inside this process, on a free port of 127.0.0.1. It keeps nothing on disk. */
export function startEmbeddedRedis(): Promise<EmbeddedRedis>;
