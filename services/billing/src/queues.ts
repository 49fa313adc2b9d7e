import type { Pool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type { ReserveReply } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { BillingMetrics } from './metrics';
import type { RateLimiter } from './rates/rules/rate-limiter';
import type { CallToAdmit } from './reserve/rules/admission';
import { GroupCommit } from './reserve/rules/group-commit';
import { type ReserveResult, Reserver } from './reserve/rules/reserver';
import { holdCalls } from './reserve/store/hold-calls';
import { CommitInDoubt } from './reserve/store/two-step';
import { toGrantReply } from './reserve/to-reserve-reply';
import type { Delivery, DeliveryOutcome } from './settle/rules/delivery';
import { settleDeliveries } from './settle/store/settle-deliveries';
import { isDuplicate, isTransient } from './store/statement';

/** Transactions of each kind, reserving and settling, that run at once; those of one account don't. */
const WORKERS = 2;

/** Connections that the queues use between them. */
export const QUEUE_CONNECTIONS = 2 * WORKERS;

interface Parts {
  readonly pool: Pool;
  readonly metrics: BillingMetrics;
  readonly log: Logger;
}

/** Calls that wait for their holds. */
export function createReservations(
  limiter: RateLimiter,
  { pool, metrics }: Parts,
): GroupCommit<CallToAdmit, ReserveResult<ReserveReply>> {
  const reserver = new Reserver({
    limiter,
    hold: (calls, rated, conclude) => holdCalls(pool, calls, rated, conclude),
    toReply: toGrantReply,
    isInDoubt: (error) => error instanceof CommitInDoubt,
    // Nothing was held, and the second attempt takes no call for new.
    isTransient: (error) => isTransient(error) || isDuplicate(error),
  });
  return new GroupCommit({
    run: (calls: readonly CallToAdmit[]) =>
      metrics.timed('reserve', calls.length, () => reserver.reserve(calls)),
    accountOf: (call) => call.accountId,
    isTransient,
    // Done by the reserver, which keeps the rates meanwhile.
    repeatTransient: false,
    maxBatch: 128,
    maxWaiting: 4_096,
    workers: WORKERS,
    deadlineMs: 5_000,
  });
}

/** Finished calls that wait to be settled, whichever way they came. */
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
        if (outcome.kind === 'dead') log.error({ reason: outcome.reason }, 'settlement event set aside');
      }
      const corrections = outcomes.flatMap((one) => (one.kind === 'applied' && one.rates ? [one.rates] : []));
      // Nobody waits for it, and it ends by itself in time.
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
