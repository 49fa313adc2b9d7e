import { GatewayError, type RateFigures, type RateState } from '@gateway/proto';
import type { CallToAdmit } from '../domain/admission';
import { minBigint } from '../domain/int8';
import type { CallToRate, RateOutcome } from '../domain/rate-limiter';
import type { RateTerms } from '../domain/rate-terms';
import { WINDOW_SECONDS } from './rate-scripts';

/** Far beyond what a minute can hold, and exact in Lua's numbers. */
const MAX_FIGURE = 10n ** 12n;

export const figure = (value: bigint): number => Number(minBigint(value, MAX_FIGURE));
export const limit = (value: bigint | null): number => (value === null ? -1 : figure(value));
export const sum = (figures: readonly number[]): number => figures.reduce((total, one) => total + one, 0);

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

const mostTokens = ({ free, boundTokens }: CallToAdmit): number => (free ? 0 : figure(boundTokens));

/** The scripts' argument of how many calls of one key there are, and that of the most tokens they can use. */
export const sumsOf = (calls: readonly CallToAdmit[]): number[] => [calls.length, sum(calls.map(mostTokens))];

/** The script's argument for each of the calls of one key. One that can use no tokens is not measured by them. */
export const needsOf = (calls: readonly CallToAdmit[]): string =>
  calls
    .map((call) => {
      const most = mostTokens(call);
      return `${most},${most > 0 ? figure(leastTokens(call)) : -1}`;
    })
    .join(' ');

/** Makes of the script's figures an outcome for each call. */
export function readAnswer(
  { keyId, terms, calls }: KeyCalls,
  [
    generation = 0,
    second = 0,
    requestsBefore = 0,
    tokensBefore = 0,
    resetBefore = 0,
    ...shares
  ]: readonly number[],
  outcomes: Map<CallToAdmit, RateOutcome>,
): void {
  const place = { keyId, generation: BigInt(generation), second };
  const told = shares[Symbol.iterator]();
  let [requests, tokens, tokensReset] = [requestsBefore, tokensBefore, resetBefore];
  for (const call of calls) {
    const given = shares.length === 0 ? mostTokens(call) : next(told);
    if (given < 0) {
      const seconds = next(told);
      const rates = figuresOf(terms, { requests, requestsReset: next(told), tokens, tokensReset });
      const error =
        given === -1 ? overRequests(terms, seconds, rates) : overTokens(call, terms, seconds, rates);
      outcomes.set(call, { taken: false, error, generation: place.generation });
      continue;
    }
    requests += 1;
    tokens += given;
    if (given > 0) tokensReset = WINDOW_SECONDS;
    outcomes.set(call, {
      taken: true,
      grantedTokens: BigInt(given),
      place: { ...place, tokens: BigInt(given) },
      // This very request is the last to leave the window.
      ...figuresOf(terms, { requests, requestsReset: WINDOW_SECONDS, tokens, tokensReset }),
    });
  }
}

/** What a key's window holds, and the seconds until that has left it. */
interface Window {
  readonly requests: number;
  readonly requestsReset: number;
  readonly tokens: number;
  readonly tokensReset: number;
}

const figuresOf = ({ rpm, tpm }: RateTerms, of: Window): RateFigures => ({
  ...(rpm !== null && { requests: state(rpm, of.requests, of.requestsReset) }),
  ...(tpm !== null && { tokens: state(tpm, of.tokens, of.tokensReset) }),
});

/** Makes figures of what the script that gives back answers. */
export function readLeft(
  terms: RateTerms,
  [requests = 0, requestsReset = 0, tokens = 0, tokensReset = 0]: readonly number[],
): RateFigures {
  return figuresOf(terms, { requests, requestsReset, tokens, tokensReset });
}

const state = (most: bigint, used: number, resetSeconds: number): RateState => ({
  limit: most,
  remaining: most > BigInt(used) ? most - BigInt(used) : 0n,
  resetSeconds,
});

function next(told: Iterator<number>): number {
  const { value, done } = told.next();
  if (done) throw new Error('the rates were not told for every call');
  return value;
}

/** What waiting can't cure has no time to wait, and nobody should repeat it by himself. */
const retry = (seconds: number) => (seconds < 0 ? { shouldRetry: false } : { retryAfterSeconds: seconds });

const overRequests = ({ rpm }: RateTerms, seconds: number, rates: RateFigures) =>
  new GatewayError('rpm_rate_limited', {
    detail: `the key may send ${rpm} requests per minute`,
    rates,
    ...retry(seconds),
  });

const overTokens = (call: CallToAdmit, { tpm }: RateTerms, seconds: number, rates: RateFigures) =>
  new GatewayError('tpm_rate_limited', {
    detail: `the key may use ${tpm} tokens per minute; this call needs at least ${leastTokens(call)}`,
    rates,
    ...retry(seconds),
  });
