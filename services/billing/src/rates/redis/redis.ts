import { createHash } from 'node:crypto';
import type { Logger } from '@gateway/process';

export interface RedisScript {
  readonly text: string;
  readonly digest: string;
}

export const redisScript = (text: string): RedisScript => ({
  text,
  digest: createHash('sha1').update(text).digest('hex'),
});

export interface RedisConnection {
  readonly up: boolean;
  /** Whether a connection has ever been established. */
  readonly hasConnected: boolean;
  /**
   * Identifies the run of the server; undefined while not connected. A restarted or replaced server has another run id,
   * even if it has the same data.
   */
  readonly runId: string | undefined;
  /**
   * Runs a script on keys of one slot that returns integers. Rejects when it can't be sent; commands in flight have no
   * deadline here.
   */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<number[]>;
  /** A command was not answered in time: nothing more is sent until the server has answered a ping. */
  suspendUntilPing(): void;
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 500;
/** A silent server is reconnected to after this time; it is pinged more often. */
const SILENCE_MS = 3_000;
const PING_INTERVAL_MS = 1_000;
const MAX_QUEUED = 20_000;

/**
 * Connects to the Redis for rates. Billing starts without it and keeps trying to connect; commands fail immediately
 * meanwhile instead of queuing up.
 */
export async function connectRedis(url: string, log: Logger): Promise<RedisConnection> {
  // Its command tables take 30 MB, which a process without Redis saves.
  const { createClient } = await import('redis');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUEUED,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(RECONNECT_MAX_MS, 50 * 2 ** Math.min(retries, 10)),
    },
  });
  let runId: string | undefined;
  let connections = 0;
  let wasUp = false;
  let hasConnected = false;

  /** Reads the server's identity; ignored if the connection has ended meanwhile. */
  const readRunId = async () => {
    const connection = ++connections;
    runId = undefined;
    const info = String(await client.sendCommand(['INFO', 'server']));
    if (connection !== connections) return;
    runId = /^run_id:(\w+)/m.exec(info)?.[1] ?? 'unnamed';
    wasUp = true;
    hasConnected = true;
  };
  const lost = () => {
    connections++;
    runId = undefined;
  };
  const begin = async () => {
    // The embedded server needs some 60 ms of CPU to initialize Lua: done now rather than during a call.
    await client.eval('return 1').catch(() => {});
    await readRunId();
  };
  client.on('ready', () => void begin().catch(() => {}));
  client.on('reconnecting', lost);
  client.on('end', lost);
  client.on('error', (error: Error) => {
    lost();
    // Every attempt to reconnect emits an error; only the first one is logged.
    log[wasUp ? 'warn' : 'debug']({ err: error }, 'redis connection failed');
    wasUp = false;
  });
  client.connect().catch(() => {});
  return {
    get up() {
      return runId !== undefined;
    },
    get hasConnected() {
      return hasConnected;
    },
    get runId() {
      return runId;
    },
    run: ({ text, digest }, keys, args) => {
      const options = { keys: [...keys], arguments: [...args] };
      const answer = client.evalSha(digest, options).catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error;
        return client.eval(text, options);
      });
      return answer as unknown as Promise<number[]>;
    },
    suspendUntilPing: () => void readRunId().catch(() => {}),
    async stop() {
      client.destroy();
    },
  };
}
