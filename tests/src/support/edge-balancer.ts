import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

const API_PORT = 8080;
const DASHBOARD_PORT = 8081;
const ADMIN_PORT = 9090;
const PROBE_INTERVAL_MS = 1_000;
const PROBE_TIMEOUT_MS = 900;

/** An edge as the balancer knows it. */
export interface BalancedEdge {
  readonly apiUrl: string;
  readonly agent: http.Agent;
}

interface KnownEdge extends BalancedEdge {
  readonly address: string;
  isReady: boolean;
  calls: number;
}

/**
 * A load balancer in front of edges, as far as callers notice it: calls go to the edges whose last probe of `/readyz` has
 * succeeded, in turn, over connections that are kept alive. It repeats no call.
 */
export class EdgeBalancer {
  /** Origin of the dashboard's API, behind a forwarder of connections. */
  readonly dashboardUrl: string;
  readonly #edges = new Map<string, KnownEdge>();
  readonly #dashboard: net.Server;
  readonly #timer: NodeJS.Timeout;
  #turn = 0;

  static async start(): Promise<EdgeBalancer> {
    const dashboard = net.createServer();
    await new Promise<void>((resolve) => dashboard.listen(0, '127.0.0.1', resolve));
    return new EdgeBalancer(dashboard);
  }

  private constructor(dashboard: net.Server) {
    this.#dashboard = dashboard;
    this.dashboardUrl = `http://127.0.0.1:${(dashboard.address() as AddressInfo).port}`;
    dashboard.on('connection', (client) => this.#forward(client));
    this.#timer = setInterval(() => {
      for (const edge of this.#edges.values()) void this.#probe(edge);
    }, PROBE_INTERVAL_MS);
  }

  get readyCount(): number {
    return this.#ready().length;
  }

  /** Number of calls that the edge at the address has been given. */
  callsOf(address: string): number {
    return this.#edges.get(address)?.calls ?? 0;
  }

  /** @param addresses of all edges that run, ready or not */
  setEdges(addresses: readonly string[]): void {
    for (const [address, { agent }] of this.#edges) {
      if (addresses.includes(address)) continue;
      this.#edges.delete(address);
      agent.destroy();
    }
    for (const address of addresses) {
      if (this.#edges.has(address)) continue;
      const edge: KnownEdge = {
        address,
        apiUrl: `http://${address}:${API_PORT}`,
        agent: new http.Agent({ keepAlive: true }),
        isReady: false,
        calls: 0,
      };
      this.#edges.set(address, edge);
      void this.#probe(edge);
    }
  }

  /** Returns the edge for the next call. */
  next(): BalancedEdge {
    const edge = this.#pick();
    if (!edge) throw new Error('no edge is ready');
    edge.calls += 1;
    return edge;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#dashboard.close();
    this.setEdges([]);
  }

  #pick(): KnownEdge | undefined {
    const ready = this.#ready();
    return ready[this.#turn++ % ready.length];
  }

  #ready(): KnownEdge[] {
    return [...this.#edges.values()].filter(({ isReady }) => isReady);
  }

  async #probe(edge: KnownEdge): Promise<void> {
    try {
      const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      const response = await fetch(`http://${edge.address}:${ADMIN_PORT}/readyz`, { signal });
      await response.arrayBuffer();
      edge.isReady = response.ok;
    } catch {
      edge.isReady = false;
    }
  }

  #forward(client: net.Socket): void {
    const edge = this.#pick();
    if (!edge) {
      client.destroy();
      return;
    }
    const server = net.connect(DASHBOARD_PORT, edge.address);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  }
}
