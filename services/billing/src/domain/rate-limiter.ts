import type { GatewayError } from '@gateway/proto';
import type { CallToAdmit } from './admission';

/** A key's figures for the caller's rate headers; absent where the key has no such limit. */
export interface RateState {
  readonly limit: bigint;
  readonly remaining: bigint;
  readonly resetSeconds: number;
}

export type RateOutcome =
  | {
      readonly taken: true;
      readonly grantedTokens: bigint;
      readonly requests?: RateState;
      readonly tokens?: RateState;
    }
  | { readonly taken: false; readonly error: GatewayError };

/** Requests and tokens per minute. They are taken before the money is held, and given back if it is not. */
export interface RateLimiter {
  /** Answers each call, in their order; rejects when the rates are not known. */
  take(calls: readonly CallToAdmit[]): Promise<readonly RateOutcome[]>;
  giveBack(calls: readonly CallToAdmit[]): Promise<void>;
}

/** No key has a rate limit. */
export const unlimitedRates: RateLimiter = {
  take: async (calls) => calls.map((call) => ({ taken: true, grantedTokens: call.boundTokens })),
  giveBack: async () => {},
};
