import { GatewayError, isRetryableTpmLimit } from '@gateway/errors';
import { type UpperBound, withoutReduction } from '../domain/upper-bound';
import { highestCost } from './fallbacks';
import type { PlannedCall } from './plan-call';
import type { Admitted } from './reserve-call';

/** Returns a bound to reserve. @param refusal of the bound before it; undefined for the first */
export type BoundToTry = (refusal: GatewayError | undefined) => UpperBound;

/** The tokens of a prompt for its key's TPM limit. */
export interface PromptTokens {
  readonly estimate: number;
  /** Returns a better estimate, which costs CPU time; undefined if `estimate` is that already. */
  readonly precise: (() => number) | undefined;
}

export type Admit = (
  promptTokens: number,
  bound: UpperBound,
  waitsForSettlements: boolean,
) => Promise<Admitted>;

/** Refusals that a tighter bound may avoid. */
const SPEND_LIMIT_CODES = new Set<string>([
  'insufficient_balance',
  'key_daily_limit',
  'key_monthly_limit',
  'account_daily_limit',
  'request_cost_limit',
]);

const isSpendLimit = (refusal: GatewayError | undefined): boolean =>
  refusal !== undefined && SPEND_LIMIT_CODES.has(refusal.code);

/**
 * Returns the bounds of a call in the order in which they are tried: with the cost of the most expensive fallback model, if that is
 * more; without a reduction of the output; with a counted prompt. Funds that suffice only for the requested model are no reason to
 * refuse the call, and counting costs more than a refused reservation.
 * @param counted the bound with a counted prompt; undefined if it can't be counted
 */
export function boundsOf(
  { bound }: PlannedCall,
  fallbacks: readonly PlannedCall[],
  counted: (() => UpperBound) | undefined,
): readonly [BoundToTry, ...BoundToTry[]] {
  const whole = withoutReduction(bound);
  const own: [BoundToTry, ...BoundToTry[]] = counted
    ? [() => whole, (refusal) => (isSpendLimit(refusal) ? counted() : whole)]
    : [() => bound];
  const costNano = highestCost(fallbacks);
  return costNano > bound.costNano ? [() => ({ ...whole, costNano, floorCostNano: costNano }), ...own] : own;
}

/**
 * Reserves the first of the bounds that is granted. The next one is tried only if it may avoid the refusal. Unused money and tokens
 * of calls that have ended are returned shortly: only the last bound waits for them.
 *
 * The key's TPM limit may have been added since the key was cached: the prompt is then estimated better before the call is refused.
 */
export async function admitWithin(
  bounds: readonly BoundToTry[],
  { estimate, precise }: PromptTokens,
  admit: Admit,
): Promise<Admitted> {
  let promptTokens = estimate;
  let refine = precise;
  let refusal: GatewayError | undefined;
  for (const [at, boundToTry] of bounds.entries()) {
    const bound = boundToTry(refusal);
    const attempt = () => admit(promptTokens, bound, at === bounds.length - 1).catch(refusalOf);
    let answer = await attempt();
    if (refine && answer instanceof GatewayError && answer.code === 'tpm_rate_limited') {
      promptTokens = refine();
      refine = undefined;
      answer = await attempt();
    }
    if (!(answer instanceof GatewayError)) return answer;
    refusal = answer;
    if (!isSpendLimit(refusal) && !isRetryableTpmLimit(refusal)) break;
  }
  throw refusal;
}

/** @throws the error if it is no refusal */
function refusalOf(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}
