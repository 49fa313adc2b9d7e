import { createMetrics } from '@gateway/process';
import { Counter, Histogram, type Registry } from 'prom-client';

export interface DashboardMetrics {
  readonly registry: Registry;
  /** `route` is an endpoint's pattern, never a path: the number of paths is unlimited. */
  answered(call: { method: string; route: string; status: number; durationMs: number }): void;
}

export function createDashboardMetrics(): DashboardMetrics {
  const registry = createMetrics();
  const requests = new Counter({
    name: 'dashboard_requests_total',
    help: 'Completed requests',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'dashboard_request_seconds',
    help: 'From the parsed head to the end of the response',
    labelNames: ['route'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    registry,
    answered({ method, route, status, durationMs }) {
      requests.inc({ method, route, status });
      seconds.observe({ route }, durationMs / 1_000);
    },
  };
}
