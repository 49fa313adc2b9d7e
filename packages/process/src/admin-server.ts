import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface AdminServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Named readiness checks, of the process's own state: each returns, or resolves to, whether it is able to serve. */
export type ReadinessChecks = Readonly<Record<string, () => boolean | Promise<boolean>>>;

/**
 * Returns a check that passes for good once `isConnected` has. Every process of a service loses another service at the
 * same time: if they all failed for it, their callers would have no instance left, and so on up to the load balancer.
 */
export function connectedOnce(isConnected: () => boolean): () => boolean {
  let wasConnected = false;
  return () => {
    wasConnected ||= isConnected();
    return wasConnected;
  };
}

const CHECK_TIMEOUT_MS = 1_000;

export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Starts the private HTTP server: /livez (the process runs), /readyz (every check passes), /metrics. */
export async function startAdminServer(options: {
  host: string;
  port: number;
  metrics: Registry;
  checks: ReadinessChecks;
  /** Until when the certificate of this service is valid; returns undefined without TLS. */
  certificateExpiry?: () => Date | undefined;
}): Promise<AdminServer> {
  exportExpiry(options.metrics, options.certificateExpiry);
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (request.url === '/livez') {
      response.end('ok\n');
    } else if (request.url === '/readyz') {
      const failing = await failingChecks(options.checks);
      response.statusCode = failing.length === 0 ? 200 : 503;
      response.end(failing.length === 0 ? 'ok\n' : `not ready: ${failing.join(', ')}\n`);
    } else if (request.url === '/metrics') {
      const body = await options.metrics.metrics();
      response.setHeader('content-type', options.metrics.contentType);
      response.end(body);
    } else {
      response.statusCode = 404;
      response.end();
    }
  };
  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => {
      response.statusCode = 500;
      response.end();
    });
  });
  const port = await listen(server, options.port, options.host);
  return { port, stop: () => closeServer(server) };
}

function exportExpiry(registry: Registry, certificateExpiry?: () => Date | undefined): void {
  if (!certificateExpiry?.()) return;
  new Gauge({
    name: 'tls_certificate_expiry_timestamp_seconds',
    help: 'Unix time until which the certificate of this service is valid',
    registers: [registry],
    collect() {
      this.set((certificateExpiry()?.getTime() ?? 0) / 1000);
    },
  });
}

async function failingChecks(checks: ReadinessChecks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, CHECK_TIMEOUT_MS, false).unref());
      const ok = await Promise.race([Promise.resolve(check()).catch(() => false), late]);
      return ok ? undefined : name;
    }),
  );
  return results.filter((name) => name !== undefined);
}

/**
 * Starts listening and returns the port; with `port` 0 the system chooses it.
 * @param reusePort several processes may listen on the port; the system spreads connections over them
 */
export function listen(server: http.Server, port: number, host: string, reusePort = false): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, reusePort }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops accepting connections, closes idle ones, and resolves when the open requests have finished. */
export function closeServer(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
