import { createMetrics } from '@gateway/process';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Reconciliation } from './ledger/store/reconcile';
import type { RateLimiter, RateOutcome } from './rates/rules/rate-limiter';
import type { Delivery, DeliveryOutcome } from './settle/rules/delivery';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export interface BillingMetrics {
  readonly registry: Registry;
  /** Counts an answer of Reserve: granted, or the code of the refusal. */
  replied(result: string): void;
  /** Records the outcomes of a batch of deliveries and the delay since their calls ended. */
  settled(deliveries: readonly Delivery[], outcomes: readonly DeliveryOutcome[], nowMs: number): void;
  readonly consumerUp: Gauge;
  readonly weakTopics: Gauge;
  watchRedis(up: () => boolean): void;
  readonly ratesRebuilt: Counter;
  readonly ratesFailed: Counter;
  /** Wraps the limiter to count and time its answers. */
  observeRates(limiter: RateLimiter): RateLimiter;
  /** Runs a batch of this kind and records its size and duration. */
  timed<T>(kind: 'reserve' | 'settle', size: number, work: () => Promise<T>): Promise<T>;
}

/** `reconcile` runs at every scrape, so that the exported figures are current. */
export function createBillingMetrics(reconcile: () => Promise<Reconciliation>): BillingMetrics {
  const registry = createMetrics();
  const registers = [registry];
  const size = new Histogram({
    name: 'billing_batch_size',
    help: 'Items per transaction.',
    labelNames: ['kind'],
    buckets: SIZES,
    registers,
  });
  const seconds = new Histogram({
    name: 'billing_batch_seconds',
    help: 'Duration of a batch, each retry counted separately.',
    labelNames: ['kind'],
    buckets: SECONDS,
    registers,
  });
  const settledTotal = new Counter({
    name: 'billing_deliveries_total',
    help: 'Usage events by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const lag = new Gauge({
    name: 'settle_lag_seconds',
    help: 'Time from the end of a call to its settlement: maximum of the last batch.',
    registers,
  });
  registerReconciliation(registry, reconcile);
  return {
    registry,
    replied: countResults(registry, {
      name: 'billing_reserve_replies_total',
      help: 'Replies to Reserve: granted, or the error code.',
    }),
    settled(deliveries, outcomes, nowMs) {
      let lagMs: number | undefined;
      for (const [i, { event }] of deliveries.entries()) {
        const kind = outcomes[i]?.kind ?? 'dead';
        settledTotal.inc({ outcome: kind });
        if (kind === 'applied' && 'endedAtMs' in event) lagMs = Math.max(lagMs ?? 0, nowMs - event.endedAtMs);
      }
      if (lagMs !== undefined) lag.set(lagMs / 1_000);
    },
    consumerUp: new Gauge({
      name: 'billing_kafka_consumer_up',
      help: '1 if the Kafka consumer is an active member of its group.',
      registers,
    }),
    weakTopics: new Gauge({
      name: 'billing_kafka_weak_topics',
      help: 'Topics of usage events with fewer replicas, or a lower min.insync.replicas, than they should have.',
      registers,
    }),
    ...rateMetrics(registry),
    async timed(kind, items, work) {
      size.observe({ kind }, items);
      const end = seconds.startTimer({ kind });
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}

function rateMetrics(registry: Registry) {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'billing_rates_seconds',
    help: 'Time that a batch waits for Redis.',
    buckets: SECONDS,
    registers,
  });
  const answered = countResults(registry, {
    name: 'billing_rates_total',
    help: 'Calls of keys with rate limits: taken, lost if the rates of the key had to be rebuilt first, or the error code.',
  });
  return {
    watchRedis(up: () => boolean): void {
      new Gauge({
        name: 'billing_redis_up',
        help: '1 if Redis is connected and answers.',
        registers,
        collect() {
          this.set(up() ? 1 : 0);
        },
      });
    },
    ratesRebuilt: new Counter({
      name: 'billing_rates_rebuilt_total',
      help: 'Keys whose rates were rebuilt from holds.',
      registers,
    }),
    ratesFailed: new Counter({
      name: 'billing_rates_failed_total',
      help: 'Batches for which Redis did not answer in time.',
      registers,
    }),
    observeRates: (limiter: RateLimiter): RateLimiter => ({
      release: (taken) => limiter.release(taken),
      correct: (corrections) => limiter.correct(corrections),
      report: (reports) => limiter.report(reports),
      rebuild: (keyIds) => limiter.rebuild(keyIds),
      async take(calls) {
        const end = seconds.startTimer();
        const outcomes = await limiter.take(calls);
        end();
        for (const one of outcomes) answered(resultOf(one));
        return outcomes;
      },
    }),
  };
}

/**
 * Counts results of which a batch may contain 64. The registry resolves labels for each count, so the counter is updated
 * when it is read.
 */
function countResults(registry: Registry, about: { name: string; help: string }): (result: string) => void {
  const counts = new Map<string, number>();
  new Counter({
    ...about,
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [result, count] of counts) this.inc({ result }, count);
    },
  });
  return (result) => counts.set(result, (counts.get(result) ?? 0) + 1);
}

const resultOf = (outcome: RateOutcome | undefined): string =>
  outcome === undefined ? 'lost' : outcome.taken ? 'taken' : outcome.error.code;

function registerReconciliation(registry: Registry, reconcile: () => Promise<Reconciliation>): void {
  const gauges: [string, string, (found: Reconciliation) => bigint][] = [
    [
      'ledger_drift_nano',
      'Differences between figures and the rows that they sum up; anything but 0 is a defect.',
      (r) => r.driftNano,
    ],
    [
      'holds_orphaned',
      'Open holds whose owner has stopped sending heartbeats or runs in a later epoch.',
      (r) => r.orphanedHolds,
    ],
    ['holds_open', 'Open holds.', (r) => r.openHolds],
    ['operator_loss_nano', 'Cost of calls that could not be charged.', (r) => r.operatorLossNano],
    ['dead_letters', 'Usage events that could not be settled.', (r) => r.deadLetters],
  ];
  // All gauges of one scrape share one query.
  let running: Promise<Reconciliation | undefined> | undefined;
  const look = () => {
    running ??= reconcile()
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  for (const [name, help, pick] of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await look();
        this.set(found ? Number(pick(found)) : Number.NaN);
      },
    });
  }
  new Gauge({
    name: 'operator_loss_by_reason_nano',
    help: 'Cost of calls that could not be charged, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    async collect() {
      const found = await look();
      this.reset();
      for (const [reason, nano] of found?.operatorLossNanoByReason ?? []) this.set({ reason }, Number(nano));
    },
  });
}
