import { GatewayError, isRetryableTpmLimit } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { attachAccountUse, type KeySpendSnapshot, readKeyFigures } from '../../keys/store/read-key-figures';
import type { RateOutcome, RateReservation } from '../../rates/rules/rate-limiter';
import { isLimited, type RateLimits } from '../../rates/rules/rate-limits';
import type { Hold } from '../../settle/rules/charge-hold';
import { ifAny, inTwoRoundTrips } from '../../store/two-round-trip-transaction';
import {
  type AccountFigures,
  admitCall,
  type CallToAdmit,
  decideCall,
  grant,
  type KeyFigures,
  refuse,
} from '../rules/admission';
import { dayOf } from '../rules/request-id';
import type { HoldDecision, RatedCall } from '../rules/reserver';
import { insertFreeCalls } from './free-calls';
import { callColumns, findHolds, insertHolds, type NewHold } from './holds';

/**
 * Decides the calls in order against the locked state and creates the holds of those granted, in one transaction. A call that its
 * rates refuse gets no hold, and that refusal is its answer unless a money error takes precedence. The locks are kept until the
 * rates are known. Resolves to the result of `conclude`, which runs during the commit. Fails with a unique violation
 * (`isDuplicate`) if a call that claims to be new has a hold already.
 */
export function holdCalls<Result>(
  pool: Pool,
  calls: readonly CallToAdmit[],
  rated: Promise<readonly RatedCall[]>,
  conclude: (decisions: readonly HoldDecision[], rated: readonly RatedCall[]) => Result,
): Promise<Result> {
  const column = (pick: (call: CallToAdmit) => string) => calls.map(pick);
  return inTwoRoundTrips(pool, {
    read: (batch) => [
      lockAccounts(
        batch,
        column((call) => call.accountId),
      ),
      readKeyFigures(batch, {
        keyIds: column((call) => call.keyId),
        valueIds: column((call) => call.valueId),
      }),
      // Finding the holds of 64 calls takes longer than all other reads, and new calls have none.
      findHolds(
        batch,
        calls.filter(({ isNew }) => !isNew).map((call) => call.requestId),
      ),
      rated,
      // Usually all calls are granted. Computed after the statements are sent, in otherwise idle time.
      Promise.resolve(calls).then(callColumns),
    ],
    decide: ([accounts, figures, existing, ratedCalls, columns]) => {
      attachAccountUse(accounts, figures);
      const day = dayOf(figures.nowMs);
      const { decisions, holds, freeKeyIds } = decideInTurn(calls, ratedCalls, {
        accounts,
        figures,
        existing,
      });
      return {
        result: () => conclude(decisions, ratedCalls),
        write: (batch) => [
          ...ifAny(holds, (list) => insertHolds(batch, list, day, isOf(calls, list) ? columns : undefined)),
          ...ifAny(freeKeyIds, (list) => insertFreeCalls(batch, list)),
        ],
      };
    },
  });
}

/** Whether these are the holds of all the calls, in order. */
const isOf = (calls: readonly CallToAdmit[], holds: readonly NewHold[]): boolean =>
  holds.length === calls.length && holds.every(({ call }, i) => call.requestId === calls[i]?.requestId);

interface Found {
  readonly accounts: ReadonlyMap<string, AccountFigures>;
  readonly figures: KeySpendSnapshot;
  readonly existing: ReadonlyMap<string, Hold>;
}

function decideInTurn(
  calls: readonly CallToAdmit[],
  rated: readonly RatedCall[],
  { accounts, figures, existing }: Found,
): { decisions: HoldDecision[]; holds: NewHold[]; freeKeyIds: string[] } {
  const holds = new Map<string, NewHold>();
  /** The keys of the free calls whose rates were taken. */
  const freeKeyIds: string[] = [];
  const decisions = rated.map((one, i): HoldDecision => {
    const { rates } = one;
    // The call as its rates know it, plus what a second attempt knows about its hold.
    const call = calls[i] ?? one.call;
    const hold = existing.get(call.requestId);
    const key = figures.keys.get(call.keyId);
    if (hold) return hold.state === 'open' ? grantAgain(call, hold, hold, key) : refuse(ended(call));
    const duplicate = holds.get(call.requestId);
    if (duplicate)
      return grantAgain(
        call,
        duplicate.call,
        { amountNano: duplicate.holdNano, rates: duplicate.reservation },
        key,
      );

    if (!rates) return { granted: false, needsRateRebuild: true };
    const account = accounts.get(call.accountId);
    const changed = key !== undefined && isOutdated(one.limits, rates, key.rates);
    if (changed || !rates.taken) {
      const decision = decideCall(call, account, key, figures.nowMs);
      if (!decision.granted) return changed ? { ...decision, ratesOutdated: true } : decision;
      if (changed) return { granted: false, limits: key.rates };
      if (rates.taken) return decision;
      // Tokens that open holds have reserved but not used are released at settlement. The held money shows whether there are
      // open holds.
      return refuse(rates.error, isRetryableTpmLimit(rates.error) && (key?.thisMonth.heldNano ?? 0n) > 0n);
    }
    const decision = admitCall(call, account, key, figures.nowMs);
    if (!decision.granted) return decision;
    if (!call.free)
      holds.set(call.requestId, { call, holdNano: decision.holdNano, reservation: rates.reservation });
    else if (rates.reservation) freeKeyIds.push(call.keyId);
    return decision;
  });
  return { decisions, holds: [...holds.values()], freeKeyIds };
}

/**
 * Whether rates were taken under other limits than the key's row has now, or before its rates were rebuilt: the rebuild, which
 * holds the same lock, can't have included this call.
 */
function isOutdated(limits: RateLimits | undefined, rates: RateOutcome, now: RateLimits): boolean {
  if (!limits) return isLimited(now);
  if (limits.rpm !== now.rpm || limits.tpm !== now.tpm) return true;
  const generation = rates.taken ? rates.reservation?.generation : rates.generation;
  return generation !== undefined && generation !== now.generation;
}

/** A call whose hold exists lost its reply, so it gets the same hold. Any other call with that id is refused. */
function grantAgain(
  call: CallToAdmit,
  first: { readonly accountId: string; readonly keyId: string },
  held: { readonly amountNano: bigint; readonly rates?: RateReservation | undefined },
  key: KeyFigures | undefined,
): HoldDecision {
  if (!call.mayHaveHold || !isSameCall(call, first)) return refuse(inUse());
  const granted = grant(held.amountNano, key ?? { requestCostLimitNano: null, scopes: [] });
  return { ...granted, earlier: { rateReservation: key?.rates.tpm == null ? undefined : held.rates } };
}

const isSameCall = (
  call: CallToAdmit,
  other: { readonly accountId: string; readonly keyId: string },
): boolean => call.accountId === other.accountId && call.keyId === other.keyId;

/** The call has ended: dispatching it would cost money without a hold. */
const ended = (call: CallToAdmit) =>
  new GatewayError('internal_error', { cause: new Error(`request id ${call.requestId} was used before`) });

/** Not `internal_error`, after which the caller would release the hold, which belongs to another call. */
const inUse = () =>
  new GatewayError('invalid_request', { detail: 'a call with this request id is in flight' });
