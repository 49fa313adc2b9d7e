import { createMetrics } from '@gateway/runtime';
import type { Route, TargetHealth, UpstreamFailure } from '@gateway/upstream';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What is counted of each target. */
export interface TargetMetrics {
  /** It did what was ordered. */
  answered(route: Route, tookMs: number): void;
  /** @param failure absent: it refused the order */
  failed(route: Route, failure: UpstreamFailure | undefined): void;
}

export interface MetricsDeps {
  readonly health: TargetHealth;
  /** By state, as of now. */
  countBills(): Promise<ReadonlyMap<string, number>>;
}

export function createMediaMetrics({ health, countBills }: MetricsDeps): {
  registry: Registry;
  targets: TargetMetrics;
} {
  const registry = createMetrics();
  new Gauge({
    name: 'media_bills',
    help: 'Calls whose end billing has not acknowledged, of all instances, by state: open, dispatched, ended',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const [state, count] of await countBills()) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'media_target_circuit',
    help: '1 for the state in which the circuit of each target is',
    labelNames: ['provider', 'upstream_model', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, upstreamModel, state } of health.states())
        this.set({ provider, upstream_model: upstreamModel, state }, 1);
    },
  });
  return { registry, targets: createTargetMetrics(registry) };
}

function createTargetMetrics(registry: Registry): TargetMetrics {
  const labelNames = ['provider', 'upstream_model'] as const;
  const calls = new Counter({
    name: 'media_target_calls_total',
    help: 'Orders to each target by what came of them: answered, refused, unreachable, broken, or the error status',
    labelNames: [...labelNames, 'outcome'],
    registers: [registry],
  });
  const took = new Histogram({
    name: 'media_target_seconds',
    help: 'From an order to its end',
    labelNames: [...labelNames],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320],
    registers: [registry],
  });
  const labels = ({ provider, target }: Route) => ({
    provider: provider.id,
    upstream_model: target.upstreamModel,
  });
  return {
    answered(route, tookMs) {
      calls.inc({ ...labels(route), outcome: 'answered' });
      took.observe(labels(route), tookMs / 1_000);
    },
    failed(route, failure) {
      const kind = failure?.kind ?? 'refused';
      calls.inc({ ...labels(route), outcome: failure?.kind === 'status' ? String(failure.status) : kind });
    },
  };
}
