import { GatewayError, type RateFigures } from '@gateway/errors';
import { RateLimitCache } from '../../rates/rules/rate-limit-cache';
import type {
  RateLimiter,
  RateOutcome,
  RateReservation,
  TakenReservation,
} from '../../rates/rules/rate-limiter';
import type { RateLimits } from '../../rates/rules/rate-limits';
import { type CallToAdmit, type Decision, refuse } from './admission';

type Taken = RateOutcome & { taken: true };

/** The reply to a granted call. */
export interface Grant {
  readonly holdNano: bigint;
  readonly requestCostLimitNano: bigint | null;
  /** The key sees only what was stored with it. */
  readonly ownContentOnly: boolean;
  readonly rates: Taken;
  /** For reports of the call's tokens; absent: its key has no TPM limit. */
  readonly rateReservation?: RateReservation | undefined;
}

export type ReserveResult<Reply> = { readonly granted: true; readonly reply: Reply } | Refusal;

type Refusal = Decision & { readonly granted: false };

/** A call with the outcome of its rate check. */
export interface RatedCall {
  readonly call: CallToAdmit;
  /** The limits under which the rates were taken; absent: the key was assumed to have none. */
  readonly limits: RateLimits | undefined;
  /** Absent: the rates of the key must be rebuilt. */
  readonly rates: RateOutcome | undefined;
}

export type HoldDecision =
  | Decision
  /** The rates were taken under outdated limits, but money refuses the call in any case. */
  | (Refusal & { readonly ratesOutdated: true })
  /** The hold existed already; its reservation is absent if its key has no TPM limit. */
  | (Decision & {
      readonly granted: true;
      readonly earlier: { readonly rateReservation: RateReservation | undefined };
    })
  /** Undecided: the key's limits have changed since its rates were taken. */
  | { readonly granted: false; readonly limits: RateLimits }
  /** Undecided: the key's rates must be rebuilt first. */
  | { readonly granted: false; readonly needsRateRebuild: true };

export interface ReserverOptions<Reply> {
  readonly limiter: RateLimiter;
  /**
   * Creates holds for the calls that their rates admit, in one transaction, and resolves to the result of `conclude`, which
   * runs during the commit. `rated` never rejects.
   */
  hold<Result>(
    calls: readonly CallToAdmit[],
    rated: Promise<readonly RatedCall[]>,
    conclude: (decisions: readonly HoldDecision[], rated: readonly RatedCall[]) => Result,
  ): Promise<Result>;
  /** The reply to a granted call. If it throws, the whole batch fails. */
  toReply(call: CallToAdmit, grant: Grant): Reply;
  /** Whether the failed transaction may have been committed nevertheless. */
  isInDoubt(error: unknown): boolean;
  /** Whether a second attempt may succeed. */
  isTransient(error: unknown): boolean;
}

/**
 * Rounds for a call whose key's limits change meanwhile, whose key's rates must be rebuilt, or whose rates were taken by
 * concurrent calls that money then refused.
 */
const MAX_ROUNDS = 5;
const ATTEMPTS = 2;

/**
 * Reserves rates and money concurrently: rates are taken tentatively and released for calls that money refuses. Each is a
 * round trip, and a call waits for both.
 */
export class Reserver<Reply> {
  readonly #options: ReserverOptions<Reply>;
  readonly #known = new RateLimitCache();

  constructor(options: ReserverOptions<Reply>) {
    this.#options = options;
  }

  async reserve(calls: readonly CallToAdmit[]): Promise<ReserveResult<Reply>[]> {
    const results = new Map<CallToAdmit, ReserveResult<Reply>>();
    let pending = calls;
    for (let round = 0; pending.length > 0 && round < MAX_ROUNDS; round++) {
      pending = await this.#round(pending, results, round + 1 < MAX_ROUNDS);
    }
    return calls.map((call) => results.get(call) ?? refuse(limitsKeptChanging()));
  }

  /** Answers the calls whose key's limits and rates were known; the others need another round. */
  async #round(
    calls: readonly CallToAdmit[],
    results: Map<CallToAdmit, ReserveResult<Reply>>,
    isAnotherLeft: boolean,
  ) {
    const { decided, unused, again, lostKeyIds } = await this.#hold(calls, this.#rate(calls));
    const left = unused.length > 0 ? await this.#options.limiter.release(unused) : undefined;
    for (const { call, rates, result } of decided) {
      // The rates it lacked have been released.
      if (isAnotherLeft && isRefusalOf(rates, result) && left?.has(call.keyId)) {
        again.push(call);
        continue;
      }
      const figures = rates?.taken ? left?.get(call.keyId) : rates?.error.rates;
      const isFinal = result.granted || 'ratesOutdated' in result;
      results.set(call, isFinal ? result : withRates(result, figures));
    }
    if (lostKeyIds.size > 0) await this.#options.limiter.rebuild([...lostKeyIds]);
    return again;
  }

  #conclude(
    decisions: readonly HoldDecision[],
    rated: readonly RatedCall[],
    wasInDoubt: boolean,
  ): Conclusion<Reply> {
    const conclusion: Conclusion<Reply> = { decided: [], unused: [], again: [], lostKeyIds: new Set() };
    for (const [i, one] of rated.entries()) {
      const { call, rates } = one;
      const decision = decisions[i]!;
      if (isUndecided(decision)) {
        conclusion.again.push(call);
        if ('needsRateRebuild' in decision) conclusion.lostKeyIds.add(call.keyId);
        // Read under the lock, and valid whether or not the commit succeeds.
        else this.#known.learn(call.keyId, decision.limits);
      } else {
        conclusion.decided.push({ call, rates, result: this.#toResult(call, rates, decision) });
      }
      // After a commit in doubt, an existing hold is most likely the one for which these rates were taken.
      const counts = decision.granted && (!('earlier' in decision) || wasInDoubt);
      if (!counts) conclusion.unused.push(...takenReservations(one));
    }
    return conclusion;
  }

  #toResult(call: CallToAdmit, rates: RateOutcome | undefined, decision: Decided): ReserveResult<Reply> {
    return decision.granted
      ? { granted: true, reply: this.#options.toReply(call, toGrant(rates, decision)) }
      : decision;
  }

  async #rate(calls: readonly CallToAdmit[]): Promise<RatedCall[]> {
    const limitsOf = calls.map((call) => this.#known.get(call.keyId));
    const limited = calls.flatMap((call, i) => (limitsOf[i] ? [{ call, limits: limitsOf[i] }] : []));
    const outcomes = limited.length > 0 ? await this.#options.limiter.take(limited) : [];
    let at = 0;
    return calls.map((call, i) => ({
      call,
      limits: limitsOf[i],
      rates: limitsOf[i] ? outcomes[at++] : UNLIMITED,
    }));
  }

  /** Retries a failed transaction with the same rates: holds that it created are found. */
  async #hold(
    calls: readonly CallToAdmit[],
    asked: Promise<readonly RatedCall[]>,
  ): Promise<Conclusion<Reply>> {
    const { limiter, hold, isInDoubt, isTransient } = this.#options;
    let wasInDoubt = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const these = attempt === 1 ? calls : calls.map((call) => toLookFor(call, wasInDoubt));
        return await hold(these, asked, (decisions, rated) => this.#conclude(decisions, rated, wasInDoubt));
      } catch (error) {
        wasInDoubt ||= isInDoubt(error);
        if (attempt < ATTEMPTS && isTransient(error)) continue;
        // Holds that may exist keep their rates: unused rates expire, missing ones would not be corrected.
        const taken = (await asked).flatMap(takenReservations);
        if (!wasInDoubt && taken.length > 0) await limiter.release(taken);
        throw error;
      }
    }
  }
}

/** After a commit in doubt, an existing hold is most likely the one that the call was about to get. */
const toLookFor = (call: CallToAdmit, wasInDoubt: boolean): CallToAdmit => ({
  ...call,
  isNew: false,
  mayHaveHold: call.mayHaveHold || wasInDoubt,
});

/** The results of one round. */
interface Conclusion<Reply> {
  readonly decided: {
    readonly call: CallToAdmit;
    readonly rates: RateOutcome | undefined;
    readonly result: ReserveResult<Reply>;
  }[];
  /** Rates taken for calls that are refused or need another round. */
  readonly unused: TakenReservation[];
  readonly again: CallToAdmit[];
  readonly lostKeyIds: Set<string>;
}

type Undecided = Extract<HoldDecision, { limits: RateLimits } | { needsRateRebuild: true }>;
type Decided = Exclude<HoldDecision, Undecided>;

const isUndecided = (decision: HoldDecision): decision is Undecided =>
  'limits' in decision || 'needsRateRebuild' in decision;

const isRefusalOf = <Reply>(rates: RateOutcome | undefined, result: ReserveResult<Reply>): boolean =>
  rates?.taken === false && !result.granted && result.error === rates.error;

/** Adds the key's rates to a refusal, except to a 401: an unauthenticated client must not learn them. */
function withRates(refusal: Refusal, figures: RateFigures | undefined): Refusal {
  const { error, awaitsSettlement } = refusal;
  if (!figures || error.row.status === 401 || error.rates) return refusal;
  return refuse(error.withRates(figures), awaitsSettlement);
}

/** Where a call's rates were taken, if any were. */
const takenReservations = ({ limits, rates }: RatedCall): TakenReservation[] =>
  limits && rates?.taken && rates.reservation ? [{ reservation: rates.reservation, limits }] : [];

const UNLIMITED: Taken = { taken: true };

function toGrant(rates: RateOutcome | undefined, decision: Decided & { readonly granted: true }): Grant {
  const { holdNano, requestCostLimitNano, ownContentOnly } = decision;
  if ('earlier' in decision) {
    return { holdNano, requestCostLimitNano, ownContentOnly, rates: UNLIMITED, ...decision.earlier };
  }
  if (!rates?.taken) throw new Error('a call was granted against its rates');
  return {
    holdNano,
    requestCostLimitNano,
    ownContentOnly,
    rates,
    rateReservation: rates.tokens && rates.reservation,
  };
}

const limitsKeptChanging = () =>
  new GatewayError('internal_error', {
    cause: new Error(`the key's rates kept changing; gave up after ${MAX_ROUNDS} rounds`),
  });
