import { GatewayError, type RateFigures } from '@gateway/errors';
import { RateLimitCache } from '../../rates/rules/rate-limit-cache';
import type { RateLimiter, RateOutcome, RateReservation, TakenPlace } from '../../rates/rules/rate-limiter';
import type { RateTerms } from '../../rates/rules/rate-terms';
import { type CallToAdmit, type Decision, refuse } from './admission';

type Taken = RateOutcome & { taken: true };

/** What is told of a call that is granted. */
export interface Grant {
  readonly holdNano: bigint;
  readonly requestCostLimitNano: bigint | null;
  readonly rates: Taken;
  /** To report the call's tokens from; absent: its key has no TPM limit. */
  readonly rateReservation?: RateReservation | undefined;
}

export type ReserveResult<Reply> = { readonly granted: true; readonly reply: Reply } | Refusal;

type Refusal = Decision & { readonly granted: false };

/** A call with what its rates say. */
export interface RatedCall {
  readonly call: CallToAdmit;
  /** Under which the rates were taken; absent: its key was taken to be unlimited. */
  readonly terms: RateTerms | undefined;
  /** Absent: the books of its key are lost. */
  readonly rates: RateOutcome | undefined;
}

export type HoldDecision =
  | Decision
  /** The rates are not of the key's terms any more, but money refuses the call under whichever. */
  | (Refusal & { readonly ratesOutdated: true })
  /** The hold was there before; its place is absent where its key has no TPM limit. */
  | (Decision & {
      readonly granted: true;
      readonly earlier: { readonly rateReservation: RateReservation | undefined };
    })
  /** Nothing was decided: the key's terms are no longer those under which its rates were taken. */
  | { readonly granted: false; readonly terms: RateTerms }
  /** Nothing was decided: the books of the key's rates must be rebuilt first. */
  | { readonly granted: false; readonly lost: true };

export interface ReserverOptions<Reply> {
  readonly limiter: RateLimiter;
  /**
   * Holds money for the calls that their rates let through, in one transaction, and resolves to what was concluded while
   * that was being committed. `rated` never rejects.
   */
  hold<Result>(
    calls: readonly CallToAdmit[],
    rated: Promise<readonly RatedCall[]>,
    conclude: (decisions: readonly HoldDecision[], rated: readonly RatedCall[]) => Result,
  ): Promise<Result>;
  /** The answer to a call that is granted. If it throws, the whole batch fails. */
  toReply(call: CallToAdmit, grant: Grant): Reply;
  /** True when the failed transaction may have been committed all the same. */
  isInDoubt(error: unknown): boolean;
  /** True when a second attempt may succeed. */
  isTransient(error: unknown): boolean;
}

/**
 * Times that a call is begun anew whose key's terms change under it, whose key's books are lost, or that found its rates
 * taken by calls beside it that the money then refused.
 */
const MAX_ROUNDS = 5;
const ATTEMPTS = 2;

/**
 * Rates are taken tentatively while the money is looked at; what the money refuses gets its rates back. Beside each
 * other, since each is a journey of its own and a call waits for both.
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
    return calls.map((call) => results.get(call) ?? refuse(unsettledTerms()));
  }

  /** Answers the calls whose key's terms and books were known; the others are to be asked again. */
  async #round(
    calls: readonly CallToAdmit[],
    results: Map<CallToAdmit, ReserveResult<Reply>>,
    isAnotherLeft: boolean,
  ) {
    const { decided, unused, again, lostKeyIds } = await this.#hold(calls, this.#rate(calls));
    const left = unused.length > 0 ? await this.#options.limiter.giveBack(unused) : undefined;
    for (const { call, rates, result } of decided) {
      // What it was short of has been given back.
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
        if ('lost' in decision) conclusion.lostKeyIds.add(call.keyId);
        // They were read under the lock, and are true whatever becomes of the commit.
        else this.#known.learn(call.keyId, decision.terms);
      } else {
        conclusion.decided.push({ call, rates, result: this.#toResult(call, rates, decision) });
      }
      // After a doubtful commit a hold found is most likely the one that these rates were taken for.
      const counts = decision.granted && (!('earlier' in decision) || wasInDoubt);
      if (!counts) conclusion.unused.push(...takenPlaces(one));
    }
    return conclusion;
  }

  #toResult(call: CallToAdmit, rates: RateOutcome | undefined, decision: Decided): ReserveResult<Reply> {
    return decision.granted
      ? { granted: true, reply: this.#options.toReply(call, toGrant(rates, decision)) }
      : decision;
  }

  async #rate(calls: readonly CallToAdmit[]): Promise<RatedCall[]> {
    const termsOf = calls.map((call) => this.#known.get(call.keyId));
    const limited = calls.flatMap((call, i) => (termsOf[i] ? [{ call, terms: termsOf[i] }] : []));
    const outcomes = limited.length > 0 ? await this.#options.limiter.take(limited) : [];
    let at = 0;
    return calls.map((call, i) => ({
      call,
      terms: termsOf[i],
      rates: termsOf[i] ? outcomes[at++] : UNLIMITED,
    }));
  }

  /** A transaction that failed is run again with the same rates: its holds, if they exist, are found. */
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
        // Holds that may exist keep their rates: they pass by themselves, one that is missing would not.
        const taken = (await asked).flatMap(takenPlaces);
        if (!wasInDoubt && taken.length > 0) await limiter.giveBack(taken);
        throw error;
      }
    }
  }
}

/** After a commit in doubt, a hold that is found is most likely the one that the call was about to get. */
const toLookFor = (call: CallToAdmit, wasInDoubt: boolean): CallToAdmit => ({
  ...call,
  isNew: false,
  mayHaveHold: call.mayHaveHold || wasInDoubt,
});

/** What the decisions of a round come to. */
interface Conclusion<Reply> {
  readonly decided: {
    readonly call: CallToAdmit;
    readonly rates: RateOutcome | undefined;
    readonly result: ReserveResult<Reply>;
  }[];
  /** Rates that were taken for calls that are refused, or asked again. */
  readonly unused: TakenPlace[];
  readonly again: CallToAdmit[];
  readonly lostKeyIds: Set<string>;
}

type Undecided = Extract<HoldDecision, { terms: RateTerms } | { lost: true }>;
type Decided = Exclude<HoldDecision, Undecided>;

const isUndecided = (decision: HoldDecision): decision is Undecided =>
  'terms' in decision || 'lost' in decision;

const isRefusalOf = <Reply>(rates: RateOutcome | undefined, result: ReserveResult<Reply>): boolean =>
  rates?.taken === false && !result.granted && result.error === rates.error;

/** Who is not let in is told nothing of the key. */
function withRates(refusal: Refusal, figures: RateFigures | undefined): Refusal {
  const { error, awaitsSettlement } = refusal;
  if (!figures || error.row.status === 401 || error.rates) return refusal;
  return refuse(error.withRates(figures), awaitsSettlement);
}

/** Where a call's rates were taken, if any were. */
const takenPlaces = ({ terms, rates }: RatedCall): TakenPlace[] =>
  terms && rates?.taken && rates.place ? [{ place: rates.place, terms }] : [];

const UNLIMITED: Taken = { taken: true };

function toGrant(rates: RateOutcome | undefined, decision: Decided & { readonly granted: true }): Grant {
  const { holdNano, requestCostLimitNano } = decision;
  if ('earlier' in decision) {
    return { holdNano, requestCostLimitNano, rates: UNLIMITED, ...decision.earlier };
  }
  if (!rates?.taken) throw new Error('a call was granted against its rates');
  return { holdNano, requestCostLimitNano, rates, rateReservation: rates.tokens && rates.place };
}

const unsettledTerms = () =>
  new GatewayError('internal_error', { cause: new Error("the key's rates changed again and again") });
