import type { Credentials, Logger, TlsFiles } from '@gateway/process';
import { createRedisClient, type RedisClient } from './create-redis-client';
import type { RedisConnection, RedisServer } from './redis-connection';
import { RedisServerConnection } from './redis-server';
import type { RedisAddress } from './redis-settings';
import { startTopologyPoll, type TopologyPoll, withinPoll } from './topology-poll';

export interface RedisSentinelOptions {
  readonly sentinels: readonly RedisAddress[];
  /** The name under which the Sentinels monitor the primary. */
  readonly master: string;
  readonly sentinelCredentials: Credentials;
  /** At the servers. */
  readonly credentials: Credentials;
  readonly tls?: TlsFiles;
  readonly log: Logger;
}

interface NamedPrimary {
  readonly address: RedisAddress;
  /** Increases with each failover. */
  readonly epoch: number;
}

/** Longer than Sentinels take to learn of a failover from each other, which they tell every 2 s. */
const EPOCH_RESET_MS = 5_000;

/**
 * The primary that Sentinels name, as of the latest failover that any of them knows. When all Sentinels are created again, epochs start
 * from 0 again: a lower one counts when a majority has named no higher one for 5 s. node-redis's own Sentinel client is not
 * used: it sends a script again to the new primary under the name of the old one's run, where outdated rates may be, and its
 * commands wait without a deadline during a failover.
 */
export class RedisSentinel implements RedisConnection {
  readonly #options: RedisSentinelOptions;
  readonly #sentinels: readonly RedisClient[];
  readonly #poll: TopologyPoll;
  #primary: { readonly named: NamedPrimary; readonly server: RedisServerConnection } | undefined;
  /** Of former primaries. */
  #hasConnected = false;
  #isFailureLogged = false;
  #isStopped = false;
  /** Since when a majority of Sentinels has named lower epochs only. */
  #lowerSinceMs: number | undefined;

  static async start(options: RedisSentinelOptions): Promise<RedisSentinel> {
    const { sentinels, sentinelCredentials: credentials, tls } = options;
    const clients = await Promise.all(
      sentinels.map((address) => createRedisClient({ address, credentials, tls })),
    );
    return new RedisSentinel(options, clients);
  }

  private constructor(options: RedisSentinelOptions, sentinels: readonly RedisClient[]) {
    this.#options = options;
    this.#sentinels = sentinels;
    for (const [i, sentinel] of sentinels.entries()) {
      sentinel.on('error', (error: Error) => this.#logFailure(error, options.sentinels[i]));
      sentinel.on('ready', () => this.#poll?.hurry());
      sentinel.connect().catch(() => {});
    }
    this.#poll = startTopologyPoll(() => this.#look());
  }

  get up(): boolean {
    return this.#primary?.server.runId !== undefined;
  }

  get hasConnected(): boolean {
    return this.#hasConnected || (this.#primary?.server.hasConnected ?? false);
  }

  serverOf(): RedisServer | undefined {
    return this.#primary?.server;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#poll.stop();
    for (const sentinel of this.#sentinels) sentinel.destroy();
    this.#primary?.server.stop();
  }

  async #look(): Promise<void> {
    const answers = await Promise.allSettled(
      this.#sentinels.filter(({ isReady }) => isReady).map((sentinel) => this.#ask(sentinel)),
    );
    const named = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) this.#logFailure(failed.reason);
    else if (named.length > 0) this.#isFailureLogged = false;
    const latest = named.toSorted((a, b) => b.epoch - a.epoch)[0];
    if (latest && !this.#isStopped && this.#isCurrent(latest, named.length)) await this.#follow(latest);
  }

  async #ask(sentinel: RedisClient): Promise<NamedPrimary> {
    const reply = await withinPoll(sentinel.sendCommand(['SENTINEL', 'MASTER', this.#options.master]));
    return parseNamedPrimary(reply);
  }

  /** Returns whether a primary is the latest one that is known. @param answered how many Sentinels have named one */
  #isCurrent({ epoch }: NamedPrimary, answered: number): boolean {
    if (!this.#primary || epoch >= this.#primary.named.epoch) {
      this.#lowerSinceMs = undefined;
      return true;
    }
    if (2 * answered <= this.#sentinels.length) this.#lowerSinceMs = undefined;
    else this.#lowerSinceMs ??= performance.now();
    return this.#lowerSinceMs !== undefined && performance.now() - this.#lowerSinceMs > EPOCH_RESET_MS;
  }

  async #follow(named: NamedPrimary): Promise<void> {
    const { credentials, tls, log } = this.#options;
    const { address } = named;
    const current = this.#primary;
    if (current && sameAddress(current.named.address, address)) {
      this.#primary = { ...current, named };
      return;
    }
    const server = await RedisServerConnection.start({
      ...{ address, credentials, tls, log },
      onDoubt: () => this.#poll.hurry(),
    });
    this.#primary = { named, server };
    this.#hasConnected ||= current?.server.hasConnected ?? false;
    current?.server.stop();
    log.info({ server: `${address.host}:${address.port}`, epoch: named.epoch }, 'redis primary');
  }

  #logFailure(error: unknown, sentinel?: RedisAddress): void {
    if (this.#isFailureLogged || this.#isStopped) return;
    this.#isFailureLogged = true;
    const where = sentinel && { sentinel: `${sentinel.host}:${sentinel.port}` };
    this.#options.log.warn({ err: error, ...where }, 'redis sentinel failed');
  }
}

const sameAddress = (a: RedisAddress, b: RedisAddress) => a.host === b.host && a.port === b.port;

/** Reads the reply of SENTINEL MASTER: names and values in turn. @throws if it names no address */
export function parseNamedPrimary(reply: unknown): NamedPrimary {
  const texts = Array.isArray(reply) ? reply.map(String) : [];
  const fieldOf = (name: string) => texts[texts.indexOf(name) + 1];
  const host = fieldOf('ip');
  const port = Number(fieldOf('port'));
  const epoch = Number(fieldOf('config-epoch'));
  if (!host || !Number.isInteger(port) || !Number.isInteger(epoch))
    throw new Error('the Sentinel names no primary');
  return { address: { host, port }, epoch };
}
