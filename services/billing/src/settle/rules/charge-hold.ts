import { maxBigint, minBigint } from '../../domain/int8';
import type { RateReservation } from '../../rates/rules/rate-limiter';
import type { CallLossReason, UsageEvent } from './usage-event';

export type HoldState = 'open' | 'settled' | 'released' | 'lost' | 'expired';

/** A row of `holds`. */
export interface Hold {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly state: HoldState;
  readonly amountNano: bigint;
  /** UTC day of admission, `YYYY-MM-DD`. */
  readonly day: string;
  /** The call's rate reservation; absent if its key had no limit. */
  readonly rates?: RateReservation;
}

export type LossReason = 'over_hold' | 'lost' | 'expired' | 'late_final' | CallLossReason;

/** What the end of a hold changes. */
export interface HoldEnd {
  readonly hold: Hold;
  readonly state: Exclude<HoldState, 'open'>;
  /** Released from the held amount. */
  readonly freedNano: bigint;
  readonly chargedNano: bigint;
  /** Negative: corrects a loss that was booked too high. */
  readonly lossNano: bigint;
  readonly lossReason: LossReason;
  /** Whether the loss counts for the account's hourly limit of losses. */
  readonly isLimited: boolean;
  /** Tokens actually used; null: the reservation stays counted. */
  readonly usedTokens: bigint | null;
  /** The task that the call created, for the ledger; empty: none. */
  readonly taskId: string;
}

/** The status of a call whose client disconnected. */
const CLIENT_DISCONNECTED = 499;

/**
 * Whether an account can cause such a loss again and again, unlike the failure of a provider or the death of a process, which would
 * otherwise limit every account that had calls in flight.
 */
const isCausedByAccount = (reason: LossReason, { status }: UsageEvent): boolean =>
  reason === 'abandoned' ||
  reason === 'over_hold' ||
  (reason === 'usage_unknown' && status === CLIENT_DISCONNECTED);

/** Ends an open hold according to its event: never charges more than the hold. */
export function settleOpenHold(hold: Hold, event: UsageEvent): HoldEnd {
  if (event.outcome === 'lost') return { ...expireHold(hold), state: 'lost', lossReason: 'lost' };
  const costNano = event.outcome === 'settled' ? event.costNano : 0n;
  const chargedNano = minBigint(costNano, hold.amountNano);
  const lossReason = costNano > hold.amountNano ? 'over_hold' : (event.loss?.reason ?? 'over_hold');
  return {
    hold,
    state: event.outcome,
    freedNano: hold.amountNano,
    chargedNano,
    lossNano: costNano + unchargedNano(hold, costNano, event) - chargedNano,
    lossReason,
    isLimited: isCausedByAccount(lossReason, event),
    usedTokens: usedTokensOf(hold, event),
    taskId: event.taskId,
  };
}

/** Ends a hold whose owner is dead: nothing is charged, and its possible cost is an operator loss. */
export function expireHold(hold: Hold): HoldEnd {
  return {
    hold,
    state: 'expired',
    freedNano: hold.amountNano,
    chargedNano: 0n,
    lossNano: hold.amountNano,
    lossReason: 'expired',
    isLimited: false,
    usedTokens: null,
    taskId: '',
  };
}

/**
 * Settles an expired hold whose event arrived after all. Its money may have been spent since, so only available funds are
 * charged; the loss booked at expiry is corrected to the actual one.
 */
export function settleExpiredHold(hold: Hold, event: UsageEvent, freeNano: bigint): HoldEnd {
  // The possible cost is booked already.
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
    isLimited: false,
    usedTokens: usedTokensOf(hold, event),
    taskId: event.taskId,
  };
}

/** Returns what the call may have cost beyond its charge, within its hold. */
const unchargedNano = (hold: Hold, costNano: bigint, { loss }: UsageEvent): bigint =>
  minBigint(loss?.atMostNano ?? 0n, maxBigint(hold.amountNano - costNano, 0n));

/**
 * Returns what counts for a TPM limit. A hold that reserved no tokens belongs to a model with another unit: tokens that its
 * provider reports would count against a limit that never applied to the call.
 */
const usedTokensOf = ({ rates }: Hold, event: UsageEvent): bigint =>
  rates?.tokens === 0n ? 0n : tokensOf(event);

/** All tokens, input and output, cached or not. */
const tokensOf = (event: UsageEvent): bigint =>
  event.inputTokens + event.cacheReadTokens + event.cacheWriteTokens + event.outputTokens;
