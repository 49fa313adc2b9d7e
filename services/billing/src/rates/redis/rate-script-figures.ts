import type { RateFigures, RateState } from '@gateway/errors';
import { minBigint } from '../../domain/int8';
import type { CallToAdmit } from '../../reserve/rules/admission';
import { overRequests, overTokens } from '../rules/rate-limit-errors';
import type { CallToRate, RateOutcome } from '../rules/rate-limiter';
import type { RateLimits } from '../rules/rate-limits';
import { WINDOW_SECONDS } from './sliding-window-scripts';

/** Far more than fits into a minute, and exact in Lua's numbers. */
const MAX_FIGURE = 10n ** 12n;

export const figure = (value: bigint): number => Number(minBigint(value, MAX_FIGURE));
export const limit = (value: bigint | null): number => (value === null ? -1 : figure(value));
export const sum = (figures: readonly number[]): number => figures.reduce((total, one) => total + one, 0);

/** Calls of one key, in order. */
export interface KeyCalls {
  readonly keyId: string;
  readonly limits: RateLimits;
  readonly calls: readonly CallToAdmit[];
}

export const groupByKey = (calls: readonly CallToRate[]): KeyCalls[] =>
  [...Map.groupBy(calls, ({ call }) => call.keyId)].map(([keyId, of]) => ({
    keyId,
    limits: of[0]!.limits,
    calls: of.map(({ call }) => call),
  }));

/** Tokens taken at admission: expected output may exceed the limit; the window is then full for the next call. */
const tokensOf = ({ free, promptTokens, outputTokens }: CallToAdmit): number =>
  free ? 0 : figure(promptTokens + outputTokens);

/**
 * Returns the tokens that must be available to admit the call: its prompt, and at least 1, because a full window admits
 * nothing. A prompt estimate may exceed the real count by a quarter, so an empty window admits a prompt that exceeds the
 * limit by no more than that. 0: the call uses no tokens.
 */
function roomOf(call: CallToAdmit, tpm: bigint | null): number {
  if (tokensOf(call) === 0) return 0;
  const prompt = call.promptTokens > 0n ? call.promptTokens : 1n;
  const isAdmittedByEmptyWindow = tpm !== null && prompt > tpm && prompt * 4n <= tpm * 5n;
  return figure(isAdmittedByEmptyWindow ? tpm : prompt);
}

/** Arguments of the scripts for all calls of one key: their number, the tokens they take, the tokens that admit all. */
export function sumsOf({ calls, limits }: KeyCalls): number[] {
  let tokens = 0;
  let room = 0;
  for (const call of calls) {
    const needed = roomOf(call, limits.tpm);
    if (needed > 0) room = Math.max(room, tokens + needed);
    tokens += tokensOf(call);
  }
  return [calls.length, tokens, room];
}

/** The script's argument for each call of one key. */
export const needsOf = ({ calls, limits }: KeyCalls): string =>
  calls.map((call) => `${tokensOf(call)},${roomOf(call, limits.tpm) || -1}`).join(' ');

/** Converts the script's figures to an outcome for each call. */
export function readAnswer(
  { keyId, limits, calls }: KeyCalls,
  [
    generation = 0,
    bucket = 0,
    requestsBefore = 0,
    tokensBefore = 0,
    resetBefore = 0,
    ...shares
  ]: readonly number[],
  outcomes: Map<CallToAdmit, RateOutcome>,
): void {
  const reservation = { keyId, generation: BigInt(generation), bucket };
  const reply = shares[Symbol.iterator]();
  let [requests, tokens, tokensReset] = [requestsBefore, tokensBefore, resetBefore];
  for (const call of calls) {
    const given = shares.length === 0 ? tokensOf(call) : next(reply);
    if (given < 0) {
      const seconds = next(reply);
      const rates = figuresOf(limits, { requests, requestsReset: next(reply), tokens, tokensReset });
      const error =
        given === -1 ? overRequests(limits, seconds, rates) : overTokens(call, limits, seconds, rates);
      outcomes.set(call, { taken: false, error, generation: reservation.generation });
      continue;
    }
    requests += 1;
    tokens += given;
    if (given > 0) tokensReset = WINDOW_SECONDS;
    outcomes.set(call, {
      taken: true,
      reservation: { ...reservation, tokens: BigInt(given) },
      // This request itself is the last to leave the window.
      ...figuresOf(limits, { requests, requestsReset: WINDOW_SECONDS, tokens, tokensReset }),
    });
  }
}

/** The contents of a key's window, and the seconds until they have left it. */
interface Window {
  readonly requests: number;
  readonly requestsReset: number;
  readonly tokens: number;
  readonly tokensReset: number;
}

const figuresOf = ({ rpm, tpm }: RateLimits, of: Window): RateFigures => ({
  ...(rpm !== null && { requests: state(rpm, of.requests, of.requestsReset) }),
  ...(tpm !== null && { tokens: state(tpm, of.tokens, of.tokensReset) }),
});

/** Converts the answer of the releasing script. */
export function readLeft(
  limits: RateLimits,
  [requests = 0, requestsReset = 0, tokens = 0, tokensReset = 0]: readonly number[],
): RateFigures {
  return figuresOf(limits, { requests, requestsReset, tokens, tokensReset });
}

const state = (max: bigint, used: number, resetSeconds: number): RateState => ({
  limit: max,
  remaining: max > BigInt(used) ? max - BigInt(used) : 0n,
  resetSeconds,
});

function next(reply: Iterator<number>): number {
  const { value, done } = reply.next();
  if (done) throw new Error('incomplete reply of the rate script');
  return value;
}
