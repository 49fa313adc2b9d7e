import type { Logger } from '@gateway/process';
import { createRedisClient, type RedisClient, type RedisClientOptions } from './create-redis-client';
import type { RedisScript, RedisServer } from './redis-connection';

export interface RedisServerOptions extends RedisClientOptions {
  readonly log: Logger;
  /** Called when another server may have become the primary of its keys. */
  readonly onDoubt?: () => void;
}

/** Errors of a server that is not, or no longer, the primary of the keys. */
const NOT_PRIMARY = /^(MOVED|ASK|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN)\b/;
const RETRY_MS = 500;
const MAX_LOGGED = 5;

/** A connection to one server, which is reestablished until it is stopped. */
export class RedisServerConnection implements RedisServer {
  readonly #options: RedisServerOptions;
  readonly #client: RedisClient;
  #runId: string | undefined;
  /** Increases whenever the server's identity must be read again. */
  #connections = 0;
  /** Messages that have been logged since it was last connected. */
  readonly #logged = new Set<string>();
  #hasConnected = false;
  #isStopped = false;

  /** Resolves at once; the connection is established in the background. */
  static async start(options: RedisServerOptions): Promise<RedisServerConnection> {
    return new RedisServerConnection(options, await createRedisClient(options));
  }

  private constructor(options: RedisServerOptions, client: RedisClient) {
    this.#options = options;
    this.#client = client;
    client.on('ready', () => void this.#identify());
    client.on('reconnecting', () => this.#lose());
    client.on('end', () => this.#lose());
    client.on('error', (error: Error) => {
      this.#lose();
      this.#logFailure(error);
    });
    client.connect().catch(() => {});
  }

  get runId(): string | undefined {
    return this.#runId;
  }

  get hasConnected(): boolean {
    return this.#hasConnected;
  }

  async run(
    { text, digest }: RedisScript,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<number[]> {
    const options = { keys: [...keys], arguments: [...args] };
    try {
      return (await this.#client.evalSha(digest, options).catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error;
        return this.#client.eval(text, options);
      })) as unknown as number[];
    } catch (error) {
      if (error instanceof Error && NOT_PRIMARY.test(error.message)) this.#options.onDoubt?.();
      throw error;
    }
  }

  /** Sends a command without a key. */
  send(command: readonly string[]): Promise<unknown> {
    return this.#client.sendCommand([...command]);
  }

  suspendUntilPing(): void {
    void this.#identify();
  }

  stop(): void {
    this.#isStopped = true;
    this.#lose();
    this.#client.destroy();
  }

  /** Reads the server's identity, until that succeeds or the connection has ended. */
  async #identify(): Promise<void> {
    const connection = ++this.#connections;
    this.#runId = undefined;
    try {
      const [server, replication] = await Promise.all([
        this.send(['INFO', 'server']),
        this.send(['INFO', 'replication']),
        // The embedded server needs some 60 ms of CPU to initialize Lua: done now rather than during a call.
        this.#client.eval('return 1'),
      ]);
      if (connection !== this.#connections) return;
      this.#runId = `${fieldOf(server, 'run_id') ?? 'unnamed'}-${fieldOf(replication, 'master_replid')?.slice(0, 8)}`;
      this.#hasConnected = true;
      this.#logged.clear();
    } catch (error) {
      if (connection !== this.#connections || !this.#client.isReady) return;
      this.#logFailure(error);
      setTimeout(() => {
        if (connection === this.#connections) void this.#identify();
      }, RETRY_MS).unref();
    }
  }

  #lose(): void {
    this.#connections++;
    this.#runId = undefined;
    if (!this.#isStopped) this.#options.onDoubt?.();
  }

  /** Every attempt to reconnect fails with an error; only the first one of its kind is logged. */
  #logFailure(error: unknown): void {
    const message = error instanceof Error ? error.message : '';
    if (this.#logged.has(message) || this.#logged.size >= MAX_LOGGED) return;
    this.#logged.add(message);
    const { host, port } = this.#options.address;
    this.#options.log.warn({ err: error, server: `${host}:${port}` }, 'redis connection failed');
  }
}

/** The replication id changes when a server is promoted: as a replica it may have missed what the primary counted. */
const fieldOf = (info: unknown, name: string) => new RegExp(`^${name}:(\\w+)`, 'm').exec(String(info))?.[1];
