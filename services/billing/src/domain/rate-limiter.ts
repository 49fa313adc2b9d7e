import type { GatewayError } from '@gateway/proto';
import type { CallToAdmit } from './admission';
import type { RateTerms } from './rate-terms';

/** A key's figures for the caller's rate headers; absent where the key has no such limit. */
export interface RateState {
  readonly limit: bigint;
  readonly remaining: bigint;
  readonly resetSeconds: number;
}

/** Where a call's rates were taken, so that they can be put back there. */
export interface RatePlace {
  readonly keyId: string;
  readonly generation: bigint;
  /** Bucket, by the clock of the place of the rates. */
  readonly second: number;
  readonly tokens: bigint;
}

export type RateOutcome =
  | {
      readonly taken: true;
      readonly grantedTokens: bigint;
      readonly requests?: RateState;
      readonly tokens?: RateState;
      /** Absent: the key has no limits, so nothing was taken. */
      readonly place?: RatePlace;
    }
  | {
      readonly taken: false;
      readonly error: GatewayError;
      /** Absent: the rates could not be known. */
      readonly generation?: bigint;
    };

/** A call whose key has limits. */
export interface CallToRate {
  readonly call: CallToAdmit;
  readonly terms: RateTerms;
}

/** What a call used in the end, of what was taken for it. */
export interface RateCorrection extends RatePlace {
  readonly usedTokens: bigint;
}

/** Requests and tokens per minute. They are taken before the money is held, and given back if it is not. */
export interface RateLimiter {
  /** Answers each call, in their order; never rejects, but refuses what it can't know in time. */
  take(calls: readonly CallToRate[]): Promise<readonly RateOutcome[]>;
  /** As if these had not been taken. What can't be given back in time ends by itself within a minute. */
  giveBack(places: readonly RatePlace[]): Promise<void>;
  /** Gives back the tokens that were not used; counts now those used beyond what was taken. */
  correct(corrections: readonly RateCorrection[]): Promise<void>;
}
