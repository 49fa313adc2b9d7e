import type { GatewayError, RateFigures } from '@gateway/errors';
import type { CallToAdmit } from '../../reserve/rules/admission';
import type { RateTerms } from './rate-terms';

/** Where a call's rates were taken, so that they can be put back there. */
export interface RateReservation {
  readonly keyId: string;
  readonly generation: bigint;
  /** By the clock of the place of the rates. */
  readonly bucket: number;
  readonly tokens: bigint;
}

/** Of a place, and the limits under which it was taken. */
export interface TakenPlace {
  readonly place: RateReservation;
  readonly terms: RateTerms;
}

export type RateOutcome =
  /** The figures include this call. */
  | (RateFigures & {
      readonly taken: true;
      /** Absent: the key has no limits, so nothing was taken. */
      readonly place?: RateReservation;
    })
  | {
      readonly taken: false;
      /** Has the figures too, if they could be known. */
      readonly error: GatewayError;
      /** Absent: the rates could not be known. */
      readonly generation?: bigint;
    };

/** A call whose key has limits. */
export interface CallToRate {
  readonly call: CallToAdmit;
  readonly terms: RateTerms;
}

/** The tokens that a call has used, with those that were taken for it on admission. */
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
  /** Grows with each report of the call. */
  readonly sequence: number;
}

/** Requests and tokens per minute. They are taken while the money is looked at, and given back if that refuses. */
export interface RateLimiter {
  /**
   * Answers each call, in their order: undefined when the books of its key are lost, so that they must be rebuilt
   * first. Never rejects, but refuses what it can't know in time.
   */
  take(calls: readonly CallToRate[]): Promise<readonly (RateOutcome | undefined)[]>;
  /**
   * Makes the books of these keys anew from what was admitted in the last minute. Takes the locks of their accounts, so
   * nobody who waits for it may hold them. Never rejects: what can't be rebuilt in time stays lost.
   */
  rebuild(keyIds: readonly string[]): Promise<void>;
  /**
   * As if these had not been taken. What can't be given back in time ends by itself within a minute.
   * Resolves to what the keys have then, by their ids, as far as that is known.
   */
  giveBack(places: readonly TakenPlace[]): Promise<ReadonlyMap<string, RateFigures>>;
  /** Gives back the tokens that were not used; counts now those used beyond what was counted. */
  correct(corrections: readonly RateCorrection[]): Promise<void>;
  /** Likewise, for calls in flight. A report that comes twice, or after a newer one, changes nothing. */
  report(reports: readonly RateReport[]): Promise<void>;
}
