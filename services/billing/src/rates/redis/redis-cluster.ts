import type { Credentials, Logger, TlsFiles } from '@gateway/process';
import calculateSlot from 'cluster-key-slot';
import { parseSlots, SLOTS, type SlotRange } from './cluster-slots';
import type { RedisConnection, RedisServer } from './redis-connection';
import { RedisServerConnection } from './redis-server';
import type { RedisAddress } from './redis-settings';
import { startTopologyPoll, type TopologyPoll, withinPoll } from './topology-poll';

export interface RedisClusterOptions {
  /** Some nodes, from which the others are discovered. */
  readonly nodes: readonly RedisAddress[];
  readonly credentials: Credentials;
  readonly tls?: TlsFiles;
  readonly log: Logger;
}

/**
 * The primaries of a cluster, one connection each; a key's rates are in the primary of its slot. node-redis's own cluster client
 * is not used: it sends a redirected script under the name of another server's run, where outdated rates may be, and its
 * discovery never ends while a primary that is down has not been replaced.
 */
export class RedisCluster implements RedisConnection {
  readonly #options: RedisClusterOptions;
  /** Connections to the configured nodes, which discover the others. */
  readonly #seeds: readonly Node[];
  readonly #poll: TopologyPoll;
  #primaries = new Map<string, Node>();
  #slots: (RedisServerConnection | undefined)[] = [];
  #isCovered = false;
  #isFailureLogged = false;
  #isStopped = false;

  static async start(options: RedisClusterOptions): Promise<RedisCluster> {
    return new RedisCluster(
      options,
      await Promise.all(options.nodes.map((address) => connect(options, address))),
    );
  }

  private constructor(options: RedisClusterOptions, seeds: readonly Node[]) {
    this.#options = options;
    this.#seeds = seeds;
    this.#poll = startTopologyPoll(() => this.#look());
  }

  get up(): boolean {
    return this.#isCovered && [...this.#primaries.values()].every(({ server }) => server.runId !== undefined);
  }

  get hasConnected(): boolean {
    return this.#isSeen() && this.#primaries.size > 0;
  }

  serverOf(keyId: string): RedisServer | undefined {
    return this.#slots[calculateSlot(keyId)];
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#poll.stop();
    for (const { server } of [...this.#seeds, ...this.#primaries.values()]) server.stop();
  }

  /** Takes the topology from the first node that is part of a working cluster: one that was cut off knows only the past. */
  async #look(): Promise<void> {
    let failure: unknown = new Error('no node is connected');
    for (const { server, address } of shuffled([...this.#primaries.values(), ...this.#seeds])) {
      if (server.runId === undefined || this.#isStopped) continue;
      try {
        const [info, slots] = await withinPoll(
          Promise.all([server.send(['CLUSTER', 'INFO']), server.send(['CLUSTER', 'SLOTS'])]),
        );
        if (!/^cluster_state:ok/m.test(String(info))) throw new Error('the cluster is down');
        await this.#follow(parseSlots(slots, address.host));
        this.#isFailureLogged = false;
        return;
      } catch (error) {
        failure = error;
      }
    }
    if (this.#isFailureLogged || this.#isStopped || !this.#isSeen()) return;
    this.#isFailureLogged = true;
    this.#options.log.warn({ err: failure }, 'redis cluster not readable');
  }

  /** Whether a configured node has been connected once. */
  #isSeen(): boolean {
    return this.#seeds.some(({ server }) => server.hasConnected);
  }

  async #follow(ranges: readonly SlotRange[]): Promise<void> {
    const primaries = new Map<string, Node>();
    const slots: (RedisServerConnection | undefined)[] = new Array(SLOTS);
    let covered = 0;
    for (const { from, to, primary } of ranges) {
      const name = `${primary.host}:${primary.port}`;
      let node = primaries.get(name) ?? this.#primaries.get(name);
      if (!node) {
        node = await connect(this.#options, primary, () => this.#poll.hurry());
        this.#options.log.info({ server: name }, 'redis primary');
      }
      primaries.set(name, node);
      slots.fill(node.server, from, to + 1);
      covered += to - from + 1;
    }
    const former = [...this.#primaries].filter(([name]) => !primaries.has(name));
    this.#primaries = primaries;
    this.#slots = slots;
    this.#isCovered = covered === SLOTS;
    for (const [, { server }] of former) server.stop();
  }
}

interface Node {
  readonly address: RedisAddress;
  readonly server: RedisServerConnection;
}

async function connect(
  { credentials, tls, log }: RedisClusterOptions,
  address: RedisAddress,
  onDoubt?: () => void,
): Promise<Node> {
  const server = await RedisServerConnection.start({
    address,
    credentials,
    tls,
    log,
    ...(onDoubt && { onDoubt }),
  });
  return { address, server };
}

/** In random order, so that no node answers for all instances. */
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
