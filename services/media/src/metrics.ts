import { setTimeout as sleep } from 'node:timers/promises';
import { createMetrics } from '@gateway/process';
import { type AttemptMetrics, failureName, type Route, type TargetHealth } from '@gateway/upstream';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Counters of video tasks. */
export interface TaskMetrics {
  polled(provider: string, outcome: 'succeeded' | 'failed'): void;
  ended(provider: string, state: string, seconds: number): void;
}

export interface MetricsDeps {
  callsInFlight(): number;
  readonly health: TargetHealth;
  /** Current number by state. */
  countBills(): Promise<ReadonlyMap<string, number>>;
  /** Tasks that have not ended. */
  countTasks(): Promise<number>;
  /** Timeout for both queries: the other metrics don't depend on them. */
  readonly countTimeoutMs: number;
}

const BILL_STATES = ['open', 'dispatched', 'ended'];

export function createMediaMetrics({ callsInFlight, health, countTimeoutMs, ...deps }: MetricsDeps): {
  registry: Registry;
  targets: AttemptMetrics;
  tasks: TaskMetrics;
} {
  const registry = createMetrics();
  const countBills = () => unlessAway(deps.countBills(), countTimeoutMs);
  const countTasks = () => unlessAway(deps.countTasks(), countTimeoutMs);
  new Gauge({
    name: 'media_calls_in_flight',
    help: 'Calls of edge that have not ended',
    registers: [registry],
    collect() {
      this.set(callsInFlight());
    },
  });
  new Gauge({
    name: 'media_bills',
    help: 'Calls whose end billing has not acknowledged, of all instances, by state: open, dispatched, ended',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const counts = await countBills();
      for (const state of BILL_STATES) this.set({ state }, counts?.get(state) ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'media_target_circuit',
    help: 'Credentials for which the circuit of the target is in this state',
    labelNames: ['provider', 'upstream_model', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, upstreamModel, state } of health.states())
        this.inc({ provider, upstream_model: upstreamModel, state });
    },
  });
  new Gauge({
    name: 'media_credential_circuit',
    help: '1 for the current state of each credential: not closed after the provider rejected it',
    labelNames: ['provider', 'credential', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, name, state } of health.credentialReports())
        this.set({ provider, credential: name, state }, 1);
    },
  });
  new Gauge({
    name: 'media_tasks_open',
    help: 'Video tasks that have not ended, of all instances',
    registers: [registry],
    async collect() {
      this.set((await countTasks()) ?? Number.NaN);
    },
  });
  return {
    registry,
    targets: createTargetMetrics(registry),
    tasks: createTaskMetrics(registry),
  };
}

/** Undefined if it fails or times out: an unreachable database must not affect the other metrics. */
async function unlessAway<T>(count: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: over.signal, ref: false });
  try {
    return await Promise.race([count, late]);
  } catch {
    return undefined;
  } finally {
    over.abort();
    late.catch(() => {});
    count.catch(() => {});
  }
}

function createTaskMetrics(registry: Registry): TaskMetrics {
  const polls = new Counter({
    name: 'media_task_polls_total',
    help: 'Polls of video tasks by this process, by outcome: succeeded, failed',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const took = new Histogram({
    name: 'media_task_seconds',
    help: 'From the creation of a video task to its end',
    labelNames: ['provider', 'state'],
    buckets: [1, 3, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 86_400],
    registers: [registry],
  });
  return {
    polled: (provider, outcome) => polls.inc({ provider, outcome }),
    ended: (provider, state, seconds) => took.observe({ provider, state }, seconds),
  };
}

function createTargetMetrics(registry: Registry): AttemptMetrics {
  const labelNames = ['provider', 'upstream_model'] as const;
  const calls = new Counter({
    name: 'media_target_calls_total',
    help: 'Requests to each target by outcome: answered, refused, unreachable, broken, or the error status',
    labelNames: [...labelNames, 'outcome'],
    registers: [registry],
  });
  const credentialCalls = new Counter({
    name: 'media_credential_calls_total',
    help: 'Requests with each credential by outcome, as media_target_calls_total has it',
    labelNames: ['provider', 'credential', 'outcome'],
    registers: [registry],
  });
  const took = new Histogram({
    name: 'media_target_seconds',
    help: 'Duration of a request to a target',
    labelNames: [...labelNames],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320],
    registers: [registry],
  });
  const labels = ({ provider, target }: Route) => ({
    provider: provider.id,
    upstream_model: target.upstreamModel,
  });
  const countCall = (route: Route, outcome: string) => {
    calls.inc({ ...labels(route), outcome });
    credentialCalls.inc({ provider: route.provider.id, credential: route.credential.name, outcome });
  };
  return {
    answered(route, tookMs) {
      countCall(route, 'answered');
      took.observe(labels(route), tookMs / 1_000);
    },
    failed(route, failure) {
      countCall(route, failureName(failure));
    },
  };
}
