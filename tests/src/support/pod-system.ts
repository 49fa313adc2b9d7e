import type { EngineAddresses, ServiceName } from '@gateway/local-stack';
import { type DnsServer, startDnsServer, until } from '@gateway/testing';
import { EdgeBalancer } from './edge-balancer';
import { readMetric } from './metrics';
import type { Pod, PodNetwork } from './pod-network';
import { type System, startSystem } from './system';

/** In the order in which they are upgraded. */
export const POD_SERVICES = [
  'catalog',
  'billing',
  'media',
  'storage',
  'chat',
  'dashboard',
  'edge',
] as const satisfies readonly ServiceName[];
export type PodService = (typeof POD_SERVICES)[number];

/** A process of a service in a pod of its own. */
export interface Instance {
  /** Of the stack. */
  readonly index: number;
  readonly pod: Pod;
}

const PORTS: Readonly<Record<PodService, Readonly<Record<string, string>>>> = {
  catalog: { GRPC_PORT: '7101' },
  billing: { GRPC_PORT: '7102' },
  chat: { GRPC_PORT: '7103' },
  media: { GRPC_PORT: '7104' },
  dashboard: { HTTP_PORT: '7105', GRPC_PORT: '7106' },
  storage: { GRPC_PORT: '7107' },
  edge: { EDGE_API_PORT: '8080', EDGE_DASHBOARD_PORT: '8081' },
};
const ADMIN_PORT = '9090';
const READY_WITHIN_MS = 60_000;

const nameOf = (service: PodService) => `${service}.gateway.test`;
const addressOf = (service: PodService) => `${nameOf(service)}:${PORTS[service].GRPC_PORT}`;
const PEERS = {
  CATALOG_ADDR: addressOf('catalog'),
  BILLING_ADDR: addressOf('billing'),
  MEDIA_ADDR: addressOf('media'),
  STORAGE_ADDR: addressOf('storage'),
  CHAT_ADDR: addressOf('chat'),
};
/** As long as a stream may take, and more. */
const DRAIN_TIMEOUT_MS = 120_000;
/** For what a process does after its calls. */
const STOP_TIMEOUT_MS = DRAIN_TIMEOUT_MS + 30_000;
const DRAIN = { DRAIN_TIMEOUT_MS: String(DRAIN_TIMEOUT_MS) };

/**
 * The gateway as an orchestrator runs it: every process in a pod, found by DNS, edges behind a load balancer. A pod is added to DNS
 * when it is ready, and removed when it receives SIGTERM.
 */
export class PodSystem {
  readonly system: System;
  readonly balancer: EdgeBalancer;
  readonly #network: PodNetwork;
  readonly #dns: DnsServer;
  readonly #pods: Map<PodService, Pod[]>;
  /** Those that are listed. */
  readonly #listed = new Map<PodService, Instance[]>();
  readonly #stoppingEdges = new Set<Instance>();

  /** @param engines at addresses that pods reach */
  static async start(network: PodNetwork, engines: EngineAddresses, count: number): Promise<PodSystem> {
    const dns = await startDnsServer({ host: network.host, port: 53 });
    const balancer = await EdgeBalancer.start();
    const pods = new Map<PodService, Pod[]>();
    for (const service of POD_SERVICES) {
      const all: Pod[] = [];
      while (all.length < count) all.push(await network.add());
      pods.set(service, all);
      dns.setA(
        nameOf(service),
        all.map(({ address }) => address),
      );
    }
    const podOf = (service: ServiceName, index: number) => pods.get(service as PodService)?.[index];
    try {
      const system = await startSystem({
        autoRestart: false,
        engines,
        dashboardUrl: balancer.dashboardUrl,
        chatJournal: 'postgres',
        instances: Object.fromEntries(POD_SERVICES.map((service) => [service, count])),
        settings: {
          chat: { ...PEERS, ...DRAIN },
          media: { ...PEERS, ...DRAIN, VIDEO_POLL_INTERVAL_MS: '1000' },
          storage: { ...PEERS, ...DRAIN },
          dashboard: PEERS,
          edge: {
            ...PEERS,
            DASHBOARD_ADDR: addressOf('dashboard'),
            DASHBOARD_HTTP_URL: `http://${nameOf('dashboard')}:${PORTS.dashboard.HTTP_PORT}`,
            EDGE_LAME_DUCK_MS: '5000',
            EDGE_STOP_GRACE_MS: String(DRAIN_TIMEOUT_MS),
          },
        },
        instanceSettings: (service, index) => ({
          ...(service !== 'simulator' && { ...PORTS[service], ADMIN_PORT }),
          BIND_HOST: podOf(service, index)?.address ?? network.host,
        }),
        commandPrefix: (service, index) => {
          const pod = podOf(service, index);
          return pod ? network.commandPrefix(pod) : [];
        },
      });
      const started = new PodSystem(network, dns, balancer, pods, system);
      await until(() => balancer.readyCount === count);
      return started;
    } catch (error) {
      balancer.stop();
      await dns.stop();
      throw error;
    }
  }

  private constructor(
    network: PodNetwork,
    dns: DnsServer,
    balancer: EdgeBalancer,
    pods: Map<PodService, Pod[]>,
    system: System,
  ) {
    this.#network = network;
    this.#dns = dns;
    this.balancer = balancer;
    this.#pods = pods;
    this.system = system;
    for (const [service, all] of pods)
      this.#list(
        service,
        all.map((pod, index) => ({ index, pod })),
      );
  }

  /** The instances that get new calls. */
  instances(service: PodService): readonly Instance[] {
    return this.#listed.get(service) ?? [];
  }

  metric(service: PodService, { index }: Instance, name: string): Promise<number> {
    return readMetric(this.system.stack.adminUrl(service, index), name).catch(() => 0);
  }

  /** Starts an instance, and lists it when it is ready. */
  async add(service: PodService): Promise<Instance> {
    const pod = await this.#network.add();
    this.#pods.get(service)?.push(pod);
    const index = await this.system.stack.add(service);
    const readyUrl = `${this.system.stack.adminUrl(service, index)}/readyz`;
    const isReady = async () => (await fetch(readyUrl).catch(() => undefined))?.ok ?? false;
    await until(isReady, READY_WITHIN_MS);
    const instance = { index, pod };
    this.#list(service, [...this.instances(service), instance]);
    return instance;
  }

  /** Removes an instance from DNS and tells it to stop. Resolves when it has exited. */
  async remove(service: PodService, instance: Instance): Promise<void> {
    if (service === 'edge') this.#stoppingEdges.add(instance);
    this.#list(
      service,
      this.instances(service).filter((other) => other !== instance),
    );
    await this.system.stack.remove(service, instance.index, STOP_TIMEOUT_MS);
    this.#stoppingEdges.delete(instance);
    this.#tellBalancer();
    await this.#network.remove(instance.pod);
  }

  /** Replaces all instances of a service, each by a new one that is ready before the old one stops. Resolves when those have exited. */
  async roll(service: PodService): Promise<void> {
    const exits: Promise<void>[] = [];
    for (const old of this.instances(service)) {
      await this.add(service);
      exits.push(this.remove(service, old));
    }
    await Promise.all(exits);
  }

  /** Resolves when the instances that are too many have exited. */
  async scale(service: PodService, count: number): Promise<void> {
    const surplus = this.instances(service).slice(count);
    await Promise.all(surplus.map((instance) => this.remove(service, instance)));
    while (this.instances(service).length < count) await this.add(service);
  }

  async stop(): Promise<void> {
    await this.system.stop();
    this.balancer.stop();
    await this.#dns.stop();
  }

  #list(service: PodService, instances: Instance[]): void {
    this.#listed.set(service, instances);
    this.#dns.setA(
      nameOf(service),
      instances.map(({ pod }) => pod.address),
    );
    this.#tellBalancer();
  }

  /** Edges that stop are still probed, as by a balancer that learns from `/readyz` only. */
  #tellBalancer(): void {
    const running = [...this.instances('edge'), ...this.#stoppingEdges];
    this.balancer.setEdges(running.map(({ pod }) => pod.address));
  }
}
