import { GatewayError } from '@gateway/proto';
import type { CallToAdmit } from '../domain/admission';
import { minBigint } from '../domain/int8';
import type { CallToRate, RateOutcome } from '../domain/rate-limiter';
import type { RateTerms } from '../domain/rate-terms';
import { WINDOW_SECONDS } from './rate-scripts';

/** Far beyond what a minute can hold, and exact in Lua's numbers. */
const MAX_FIGURE = 10n ** 12n;

export const figure = (value: bigint): string => String(minBigint(value, MAX_FIGURE));
export const limit = (value: bigint | null): string => (value === null ? '-1' : figure(value));

/** Calls of one key, in their order. */
export interface KeyCalls {
  readonly keyId: string;
  readonly terms: RateTerms;
  readonly calls: readonly CallToAdmit[];
}

export const groupByKey = (calls: readonly CallToRate[]): KeyCalls[] =>
  [...Map.groupBy(calls, ({ call }) => call.keyId)].map(([keyId, of]) => ({
    keyId,
    terms: of[0]!.terms,
    calls: of.map(({ call }) => call),
  }));

/** A call that can use tokens is not sent on none, however low its floor. */
function leastTokens({ boundTokens, floorTokens }: CallToAdmit): bigint {
  return minBigint(boundTokens, floorTokens > 0n ? floorTokens : 1n);
}

/** A call's three arguments of the script. */
export const needsOf = (call: CallToAdmit): string[] => [
  call.free ? '1' : '0',
  figure(call.boundTokens),
  figure(leastTokens(call)),
];

/** Makes of the script's figures an outcome for each call. */
export function readAnswer(
  { keyId, terms, calls }: KeyCalls,
  [generation, second, ...figures]: readonly number[],
  outcomes: Map<CallToAdmit, RateOutcome>,
): void {
  const place = { keyId, generation: BigInt(generation ?? 0), second: second ?? 0 };
  for (const [i, call] of calls.entries()) {
    const [given = -1, ...rest] = figures.slice(i * 4, i * 4 + 4);
    if (given < 0) {
      const error = given === -1 ? overRequests(terms, rest[0]!) : overTokens(call, terms, rest[0]!);
      outcomes.set(call, { taken: false, error, generation: place.generation });
      continue;
    }
    const [requests = 0, tokens = 0, tokensReset = 0] = rest;
    const state = (most: bigint, used: number, resetSeconds: number) => ({
      limit: most,
      remaining: most > BigInt(used) ? most - BigInt(used) : 0n,
      resetSeconds,
    });
    outcomes.set(call, {
      taken: true,
      grantedTokens: BigInt(given),
      place: { ...place, tokens: BigInt(given) },
      // This very request is the last to leave the window.
      ...(terms.rpm !== null && { requests: state(terms.rpm, requests, WINDOW_SECONDS) }),
      ...(terms.tpm !== null && { tokens: state(terms.tpm, tokens, tokensReset) }),
    });
  }
}

/** What waiting can't cure has no time to wait, and nobody should repeat it by himself. */
const retry = (seconds: number) => (seconds < 0 ? { shouldRetry: false } : { retryAfterSeconds: seconds });

const overRequests = ({ rpm }: RateTerms, seconds: number) =>
  new GatewayError('rpm_rate_limited', {
    detail: `the key may send ${rpm} requests per minute`,
    ...retry(seconds),
  });

const overTokens = (call: CallToAdmit, { tpm }: RateTerms, seconds: number) =>
  new GatewayError('tpm_rate_limited', {
    detail: `the key may use ${tpm} tokens per minute; this call needs at least ${leastTokens(call)}`,
    ...retry(seconds),
  });
