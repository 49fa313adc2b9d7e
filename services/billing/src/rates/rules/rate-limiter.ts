import type { GatewayError, RateFigures } from '@gateway/errors';
import type { CallToAdmit } from '../../reserve/rules/admission';
import type { RateLimits } from './rate-limits';

/** Identifies where a call's rates were taken, so that they can be released there. */
export interface RateReservation {
  readonly keyId: string;
  readonly generation: bigint;
  /** By the clock of the rate store. */
  readonly bucket: number;
  readonly tokens: bigint;
}

/** A reservation, and the limits under which it was made. */
export interface TakenReservation {
  readonly reservation: RateReservation;
  readonly limits: RateLimits;
}

export type RateOutcome =
  /** The figures include this call. */
  | (RateFigures & {
      readonly taken: true;
      /** Absent: the key has no limits, so nothing was taken. */
      readonly reservation?: RateReservation;
    })
  | {
      readonly taken: false;
      /** Includes the figures if they are known. */
      readonly error: GatewayError;
      /** Absent: the rates are unknown. */
      readonly generation?: bigint;
    };

/** A call whose key has limits. */
export interface CallToRate {
  readonly call: CallToAdmit;
  readonly limits: RateLimits;
}

/** The tokens that a call has used, and those that were taken for it at admission. */
export interface RateUse extends RateReservation {
  readonly requestId: string;
  readonly usedTokens: bigint;
}

/** The use of a call that has ended. */
export interface RateCorrection extends RateUse {
  /** Its use may have been reported before. */
  readonly streamed: boolean;
}

/** The use so far of a call in flight. */
export interface RateReport extends RateUse {
  /** Increases with each report of the call. */
  readonly sequence: number;
}

/** Requests and tokens per minute. They are taken while the money is checked, and released if that refuses the call. */
export interface RateLimiter {
  /**
   * Answers each call, in order; undefined if the rates of its key are lost and must be rebuilt first. Never rejects: calls whose
   * rates are not known in time are refused.
   */
  take(calls: readonly CallToRate[]): Promise<readonly (RateOutcome | undefined)[]>;
  /**
   * Rebuilds the rates of these keys from what was admitted in the last minute. Takes the locks of their accounts, so its caller
   * must not hold them. Never rejects: rates that can't be rebuilt in time stay lost.
   */
  rebuild(keyIds: readonly string[]): Promise<void>;
  /**
   * Releases reservations. Those that can't be released in time expire within a minute. Resolves to the keys' figures afterwards,
   * by key id, as far as they are known.
   */
  release(reservations: readonly TakenReservation[]): Promise<ReadonlyMap<string, RateFigures>>;
  /** Releases unused tokens, and counts tokens beyond those counted before. */
  correct(corrections: readonly RateCorrection[]): Promise<void>;
  /** The same for calls in flight. A repeated or outdated report changes nothing. */
  report(reports: readonly RateReport[]): Promise<void>;
}
