import type { Logger } from '@gateway/runtime';

export interface RedisConnection {
  readonly up: boolean;
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 1_000;

/**
 * Where the rates live. A server that is away does not keep billing from starting: it is looked for until
 * it is there. Commands fail at once meanwhile, instead of piling up.
 */
export async function connectRedis(url: string, log: Logger): Promise<RedisConnection> {
  // Its command tables take 30 MB, which a process without Redis need not spend.
  const { createClient } = await import('redis');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(RECONNECT_MAX_MS, 50 * 2 ** Math.min(retries, 10)),
    },
  });
  let wasUp = false;
  client.on('ready', () => {
    wasUp = true;
  });
  client.on('error', (error: Error) => {
    // Every attempt to reconnect is an error too; only the first says something new.
    log[wasUp ? 'warn' : 'debug']({ err: error }, 'redis connection failed');
    wasUp = false;
  });
  client.connect().catch(() => {});
  return {
    get up() {
      return client.isReady;
    },
    async stop() {
      client.destroy();
    },
  };
}
