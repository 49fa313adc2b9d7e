import type { Pool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type { ReserveReply } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { BillingMetrics } from './metrics';
import type { RateLimiter } from './rates/rules/rate-limiter';
import type { CallToAdmit } from './reserve/rules/admission';
import { GroupCommit } from './reserve/rules/group-commit';
import { type ReserveResult, Reserver } from './reserve/rules/reserver';
import { holdCalls } from './reserve/store/hold-calls';
import { toGrantReply } from './reserve/to-reserve-reply';
import type { Delivery, DeliveryOutcome } from './settle/rules/delivery';
import { settleDeliveries } from './settle/store/settle-deliveries';
import { isDuplicate, isTransient } from './store/statement';
import { CommitInDoubt } from './store/two-round-trip-transaction';

/** Concurrent transactions of each kind, reserving and settling; those of one account never run concurrently. */
const WORKERS = 2;

/** Connections that both queues use together. */
export const QUEUE_CONNECTIONS = 2 * WORKERS;

interface Parts {
  readonly pool: Pool;
  readonly metrics: BillingMetrics;
  readonly log: Logger;
}

/** Creates the queue of calls that wait for their holds. */
export function createReservations(
  limiter: RateLimiter,
  { pool, metrics }: Parts,
): GroupCommit<CallToAdmit, ReserveResult<ReserveReply>> {
  const reserver = new Reserver({
    limiter,
    hold: (calls, rated, conclude) => holdCalls(pool, calls, rated, conclude),
    toReply: toGrantReply,
    isInDoubt: (error) => error instanceof CommitInDoubt,
    // No hold was created, and the second attempt treats no call as new.
    isTransient: (error) => isTransient(error) || isDuplicate(error),
  });
  return new GroupCommit({
    run: (calls: readonly CallToAdmit[]) =>
      metrics.timed('reserve', calls.length, () => reserver.reserve(calls)),
    accountOf: (call) => call.accountId,
    isTransient,
    // The reserver repeats them, because it keeps the rates meanwhile.
    repeatTransient: false,
    maxBatch: 128,
    maxWaiting: 4_096,
    workers: WORKERS,
    deadlineMs: 5_000,
  });
}

/** Creates the queue of finished calls that wait for settlement, however they were delivered. */
export function createSettlements(
  limiter: RateLimiter,
  abandonedCostLimitNano: bigint,
  { pool, metrics, log }: Parts,
): GroupCommit<Delivery, DeliveryOutcome> {
  return new GroupCommit({
    run: async (deliveries: readonly Delivery[]) => {
      const outcomes = await metrics.timed('settle', deliveries.length, () =>
        settleDeliveries(pool, deliveries, abandonedCostLimitNano),
      );
      metrics.settled(deliveries, outcomes, Date.now());
      for (const outcome of outcomes) {
        if (outcome.kind === 'dead')
          log.error({ reason: outcome.reason }, 'usage event became a dead letter');
      }
      const corrections = outcomes.flatMap((one) => (one.kind === 'applied' && one.rates ? [one.rates] : []));
      // Not awaited; it has a deadline of its own.
      if (corrections.length > 0) void limiter.correct(corrections);
      return outcomes;
    },
    accountOf: ({ event }) => ('accountId' in event ? event.accountId : ''),
    isTransient,
    repeatTransient: true,
    maxBatch: 256,
    maxWaiting: 20_000,
    workers: WORKERS,
    deadlineMs: 10_000,
  });
}
