import { maxBigint, minBigint } from '../../domain/int8';
import type { RateReservation } from '../../rates/rules/rate-limiter';
import type { CallLossReason, UsageEvent } from './usage-event';

export type HoldState = 'open' | 'settled' | 'released' | 'lost' | 'expired';

/** A hold as its row says. */
export interface Hold {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly state: HoldState;
  readonly amountNano: bigint;
  /** UTC day of admission, `YYYY-MM-DD`. */
  readonly day: string;
  /** Where its rates were taken; absent when its key had no limit. */
  readonly rates?: RateReservation;
}

export type LossReason = 'over_hold' | 'lost' | 'expired' | 'late_final' | CallLossReason;

/** What the end of a hold changes. */
export interface HoldEnd {
  readonly hold: Hold;
  readonly state: Exclude<HoldState, 'open'>;
  /** Given back to what may be held. */
  readonly freedNano: bigint;
  readonly chargedNano: bigint;
  /** Negative: an earlier loss was booked too high. */
  readonly lossNano: bigint;
  readonly lossReason: LossReason;
  /** Tokens that were used after all; null: what was reserved stays counted. */
  readonly usedTokens: bigint | null;
  /** The task that the call created, for the ledger; empty: none. */
  readonly taskId: string;
}

/** Ends an open hold as its event says: never more than the hold is charged. */
export function settleOpenHold(hold: Hold, event: UsageEvent): HoldEnd {
  if (event.outcome === 'lost') return { ...expireHold(hold), state: 'lost', lossReason: 'lost' };
  const costNano = event.outcome === 'settled' ? event.costNano : 0n;
  const chargedNano = minBigint(costNano, hold.amountNano);
  return {
    hold,
    state: event.outcome,
    freedNano: hold.amountNano,
    chargedNano,
    lossNano: costNano + unchargedNano(hold, costNano, event) - chargedNano,
    lossReason: costNano > hold.amountNano ? 'over_hold' : (event.loss?.reason ?? 'over_hold'),
    usedTokens: usedTokensOf(hold, event),
    taskId: event.taskId,
  };
}

/** Ends a hold whose owner is gone: nothing is charged, what it may have cost is the operator's loss. */
export function expireHold(hold: Hold): HoldEnd {
  return {
    hold,
    state: 'expired',
    freedNano: hold.amountNano,
    chargedNano: 0n,
    lossNano: hold.amountNano,
    lossReason: 'expired',
    usedTokens: null,
    taskId: '',
  };
}

/**
 * The event of an expired hold came after all. Its money may have been spent since, so only what is free
 * now is charged; the loss booked on expiry is corrected to what it has really been.
 */
export function settleExpiredHold(hold: Hold, event: UsageEvent, freeNano: bigint): HoldEnd {
  // What it may have cost is booked already.
  if (event.outcome === 'lost') return { ...expireHold(hold), state: 'lost', freedNano: 0n, lossNano: 0n };
  const costNano = event.outcome === 'settled' ? event.costNano : 0n;
  const chargedNano = minBigint(costNano, hold.amountNano, freeNano > 0n ? freeNano : 0n);
  return {
    hold,
    state: event.outcome,
    freedNano: 0n,
    chargedNano,
    lossNano: costNano + unchargedNano(hold, costNano, event) - chargedNano - hold.amountNano,
    lossReason: 'late_final',
    usedTokens: usedTokensOf(hold, event),
    taskId: event.taskId,
  };
}

/** What the call may have cost beyond what its event charges, within its hold. */
const unchargedNano = (hold: Hold, costNano: bigint, { loss }: UsageEvent): bigint =>
  minBigint(loss?.atMostNano ?? 0n, maxBigint(hold.amountNano - costNano, 0n));

/**
 * What counts for a limit of tokens per minute. A hold that reserved none is of a model with another unit: tokens that
 * its provider tells all the same would count against a limit that never stood in the call's way.
 */
const usedTokensOf = ({ rates }: Hold, event: UsageEvent): bigint =>
  rates?.tokens === 0n ? 0n : tokensOf(event);

/** All that passed, in and out, cached or not. */
const tokensOf = (event: UsageEvent): bigint =>
  event.inputTokens + event.cacheReadTokens + event.cacheWriteTokens + event.outputTokens;
