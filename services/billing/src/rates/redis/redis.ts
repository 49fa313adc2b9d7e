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
  /** Has been up once. */
  readonly met: boolean;
  /**
   * Which life of which server this is; undefined while there is none. A server that was restarted or
   * replaced is another, whatever data it brought along.
   */
  readonly life: string | undefined;
  /**
   * Runs a script on keys of one slot, which answers with whole numbers. Rejects when it can't be sent; what is under
   * way has no deadline here.
   */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<number[]>;
  /** Something was not answered in time: nothing more is sent until the server has answered a ping. */
  distrust(): void;
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 500;
/** A server that has not said a word for so long is reconnected to; it is pinged often enough to. */
const SILENCE_MS = 3_000;
const PING_INTERVAL_MS = 1_000;
const MAX_QUEUED = 20_000;

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
    commandsQueueMaxLength: MAX_QUEUED,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(RECONNECT_MAX_MS, 50 * 2 ** Math.min(retries, 10)),
    },
  });
  let life: string | undefined;
  let connections = 0;
  let wasUp = false;
  let met = false;

  /** Learns with whom we speak; a connection that has ended meanwhile says nothing of the next one. */
  const meet = async () => {
    const connection = ++connections;
    life = undefined;
    const info = String(await client.sendCommand(['INFO', 'server']));
    if (connection !== connections) return;
    life = /^run_id:(\w+)/m.exec(info)?.[1] ?? 'unnamed';
    wasUp = true;
    met = true;
  };
  const lost = () => {
    connections++;
    life = undefined;
  };
  const begin = async () => {
    // The embedded server needs some 60 ms of CPU to get its Lua ready: better now than in the time of somebody's call.
    await client.eval('return 1').catch(() => {});
    await meet();
  };
  client.on('ready', () => void begin().catch(() => {}));
  client.on('reconnecting', lost);
  client.on('end', lost);
  client.on('error', (error: Error) => {
    lost();
    // Every attempt to reconnect is an error too; only the first says something new.
    log[wasUp ? 'warn' : 'debug']({ err: error }, 'redis connection failed');
    wasUp = false;
  });
  client.connect().catch(() => {});
  return {
    get up() {
      return life !== undefined;
    },
    get met() {
      return met;
    },
    get life() {
      return life;
    },
    run: ({ text, digest }, keys, args) => {
      const options = { keys: [...keys], arguments: [...args] };
      const answer = client.evalSha(digest, options).catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error;
        return client.eval(text, options);
      });
      return answer as unknown as Promise<number[]>;
    },
    distrust: () => void meet().catch(() => {}),
    async stop() {
      client.destroy();
    },
  };
}
