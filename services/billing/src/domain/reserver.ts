import type { CallToAdmit, Decision } from './admission';
import type { RateLimiter, RateOutcome } from './rate-limiter';

export type ReserveResult =
  | { readonly granted: true; readonly holdNano: bigint; readonly rates: RateOutcome & { taken: true } }
  | (Decision & { granted: false });

/** Holds money for the calls that the rates let through, and says what each of them gets. */
export type HoldCalls = (
  calls: readonly CallToAdmit[],
  refusedByRates: readonly ((RateOutcome & { taken: false })['error'] | undefined)[],
) => Promise<Decision[]>;

/** Rates first and tentatively, then money; what the money refuses gets its rates back. */
export async function reserveCalls(
  calls: readonly CallToAdmit[],
  limiter: RateLimiter,
  holdCalls: HoldCalls,
): Promise<ReserveResult[]> {
  const rates = await limiter.take(calls);
  let decisions: Decision[];
  try {
    decisions = await holdCalls(
      calls,
      rates.map((rate) => (rate.taken ? undefined : rate.error)),
    );
  } catch (error) {
    await limiter.giveBack(calls.filter((_, i) => rates[i]?.taken));
    throw error;
  }
  const unused = calls.filter((_, i) => rates[i]?.taken && !decisions[i]?.granted);
  if (unused.length > 0) await limiter.giveBack(unused);
  return decisions.map((decision, i) => {
    const rate = rates[i];
    if (!decision.granted) return decision;
    if (!rate?.taken) throw new Error('a call was granted against its rates');
    return { granted: true, holdNano: decision.holdNano, rates: rate };
  });
}
