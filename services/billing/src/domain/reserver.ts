import { GatewayError, type RateFigures } from '@gateway/proto';
import { type CallToAdmit, type Decision, refuse } from './admission';
import { KnownTerms } from './known-terms';
import type { RateLimiter, RateOutcome, TakenPlace } from './rate-limiter';
import type { RateTerms } from './rate-terms';

type Taken = RateOutcome & { taken: true };

export type ReserveResult =
  | {
      readonly granted: true;
      readonly holdNano: bigint;
      readonly requestCostLimitNano: bigint | null;
      readonly rates: Taken;
    }
  | Refusal;

type Refusal = Decision & { readonly granted: false };

/** A call with what its rates say. */
export interface RatedCall {
  readonly call: CallToAdmit;
  /** Under which the rates were taken; absent: its key was taken to be unlimited. */
  readonly terms: RateTerms | undefined;
  readonly rates: RateOutcome;
}

export type HoldDecision =
  | Decision
  /** The rates are not of the key's terms any more, but money refuses the call under whichever. */
  | (Refusal & { readonly ratesOutdated: true })
  /** The hold was there before; `tokens`: what it reserves, null when its key had no limit. */
  | (Decision & { readonly granted: true; readonly earlier: { readonly tokens: bigint | null } })
  /** Nothing was decided: the key's terms are no longer those under which its rates were taken. */
  | { readonly granted: false; readonly terms: RateTerms };

export interface ReserverOptions {
  readonly limiter: RateLimiter;
  /** Holds money for the calls that their rates let through, in one transaction. */
  hold(calls: readonly RatedCall[]): Promise<HoldDecision[]>;
  /** True when the failed transaction may have been committed all the same. */
  isInDoubt(error: unknown): boolean;
  /** True when the failure may pass by itself. */
  isTransient(error: unknown): boolean;
}

/** Times that a call whose key's terms change under it is begun anew. */
const MAX_ROUNDS = 5;
const ATTEMPTS = 2;

/** Rates first and tentatively, then money; what the money refuses gets its rates back. */
export class Reserver {
  readonly #options: ReserverOptions;
  readonly #known = new KnownTerms();

  constructor(options: ReserverOptions) {
    this.#options = options;
  }

  async reserve(calls: readonly CallToAdmit[]): Promise<ReserveResult[]> {
    const results = new Map<CallToAdmit, ReserveResult>();
    let pending = calls;
    for (let round = 0; pending.length > 0 && round < MAX_ROUNDS; round++) {
      pending = await this.#round(pending, results);
    }
    return calls.map((call) => results.get(call) ?? { granted: false, error: unsettledTerms() });
  }

  /** Answers the calls whose key's terms were known; the others are to be asked again. */
  async #round(calls: readonly CallToAdmit[], results: Map<CallToAdmit, ReserveResult>) {
    const rated = await this.#rate(calls);
    const { decisions, wasInDoubt } = await this.#hold(rated);
    const unused: TakenPlace[] = [];
    const again: CallToAdmit[] = [];
    for (const [i, { call, terms, rates }] of rated.entries()) {
      const decision = decisions[i]!;
      if (!decision.granted && 'terms' in decision) {
        this.#known.learn(call.keyId, decision.terms);
        again.push(call);
      } else {
        results.set(call, toResult(call, rates, decision));
      }
      // After a doubtful commit a hold found is most likely the one that these rates were taken for.
      const counts = decision.granted && (!('earlier' in decision) || wasInDoubt);
      if (terms && rates.taken && rates.place && !counts) unused.push({ place: rates.place, terms });
    }
    const left = unused.length > 0 ? await this.#options.limiter.giveBack(unused) : undefined;
    for (const [i, { call, rates }] of rated.entries()) {
      const decision = decisions[i]!;
      if (decision.granted || 'terms' in decision || 'ratesOutdated' in decision) continue;
      const figures = rates.taken ? left?.get(call.keyId) : rates.error.rates;
      if (figures) results.set(call, withRates(decision, figures));
    }
    return again;
  }

  async #rate(calls: readonly CallToAdmit[]): Promise<RatedCall[]> {
    const termsOf = calls.map((call) => this.#known.get(call.keyId));
    const limited = calls.flatMap((call, i) => (termsOf[i] ? [{ call, terms: termsOf[i] }] : []));
    const outcomes = limited.length > 0 ? await this.#options.limiter.take(limited) : [];
    let at = 0;
    return calls.map((call, i) => ({
      call,
      terms: termsOf[i],
      rates: termsOf[i] ? outcomes[at++]! : unlimited(call),
    }));
  }

  /** A transaction that failed is run again with the same rates: its holds, if they exist, are found. */
  async #hold(rated: readonly RatedCall[]): Promise<{ decisions: HoldDecision[]; wasInDoubt: boolean }> {
    const { limiter, hold, isInDoubt, isTransient } = this.#options;
    let wasInDoubt = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return { decisions: await hold(rated), wasInDoubt };
      } catch (error) {
        wasInDoubt ||= isInDoubt(error);
        if (attempt < ATTEMPTS && isTransient(error)) continue;
        // Holds that may exist keep their rates: they pass by themselves, one that is missing would not.
        const taken = rated.flatMap(({ terms, rates }) =>
          terms && rates.taken && rates.place ? [{ place: rates.place, terms }] : [],
        );
        if (!wasInDoubt && taken.length > 0) await limiter.giveBack(taken);
        throw error;
      }
    }
  }
}

/** Who is not let in is told nothing of the key. */
function withRates(refusal: Refusal, figures: RateFigures): Refusal {
  const { error } = refusal;
  return error.row.status === 401 || error.rates ? refusal : refuse(error.withRates(figures));
}

const unlimited = (call: CallToAdmit): Taken => ({ taken: true, grantedTokens: call.boundTokens });

function toResult(
  call: CallToAdmit,
  rates: RateOutcome,
  decision: Exclude<HoldDecision, { terms: RateTerms }>,
): ReserveResult {
  if (!decision.granted) return decision;
  const { holdNano, requestCostLimitNano } = decision;
  if ('earlier' in decision) {
    const grantedTokens = decision.earlier.tokens ?? call.boundTokens;
    return { granted: true, holdNano, requestCostLimitNano, rates: { taken: true, grantedTokens } };
  }
  if (!rates.taken) throw new Error('a call was granted against its rates');
  return { granted: true, holdNano, requestCostLimitNano, rates };
}

const unsettledTerms = () =>
  new GatewayError('internal_error', { cause: new Error("the key's rates changed again and again") });
