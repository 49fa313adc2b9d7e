import { GatewayError, isRetryableTpmLimit } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { countAccountUse, type FiguresAtHand, readKeyFigures } from '../../keys/store/read-key-figures';
import type { RateOutcome, RateReservation } from '../../rates/rules/rate-limiter';
import { isLimited, type RateTerms } from '../../rates/rules/rate-terms';
import type { Hold } from '../../settle/rules/settlement';
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
import { ifAny, inTwoSteps } from './two-step';

/**
 * Decides the calls in turn against the locked state and holds the money of those granted, in one
 * transaction. For a call that its rates refuse nothing is held, and that refusal is its answer unless the
 * money has an error that goes before it. The locks are held until the rates are told. Resolves to what `conclude` makes
 * of the decisions while they are being committed. Fails with the key of a row that is there (`isDuplicate`) when a call
 * that says it is new has a hold and would get another.
 */
export function holdCalls<Result>(
  pool: Pool,
  calls: readonly CallToAdmit[],
  rated: Promise<readonly RatedCall[]>,
  conclude: (decisions: readonly HoldDecision[], rated: readonly RatedCall[]) => Result,
): Promise<Result> {
  const column = (pick: (call: CallToAdmit) => string) => calls.map(pick);
  return inTwoSteps(pool, {
    read: (batch) => [
      lockAccounts(
        batch,
        column((call) => call.accountId),
      ),
      readKeyFigures(batch, {
        keyIds: column((call) => call.keyId),
        valueIds: column((call) => call.valueId),
      }),
      // To look for the holds of 64 calls takes longer than to read all else, and new calls have none.
      findHolds(
        batch,
        calls.filter(({ isNew }) => !isNew).map((call) => call.requestId),
      ),
      rated,
      // Most often all calls are granted. Made once the statements are sent, in time that is idle.
      Promise.resolve(calls).then(callColumns),
    ],
    decide: ([accounts, figures, existing, ratedCalls, columns]) => {
      countAccountUse(accounts, figures);
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

/** Whether these are holds of all the calls, in their order. */
const isOf = (calls: readonly CallToAdmit[], holds: readonly NewHold[]): boolean =>
  holds.length === calls.length && holds.every(({ call }, i) => call.requestId === calls[i]?.requestId);

interface Found {
  readonly accounts: ReadonlyMap<string, AccountFigures>;
  readonly figures: FiguresAtHand;
  readonly existing: ReadonlyMap<string, Hold>;
}

function decideInTurn(
  calls: readonly CallToAdmit[],
  rated: readonly RatedCall[],
  { accounts, figures, existing }: Found,
): { decisions: HoldDecision[]; holds: NewHold[]; freeKeyIds: string[] } {
  const holds = new Map<string, NewHold>();
  /** The key of each free call whose rates were taken. */
  const freeKeyIds: string[] = [];
  const decisions = rated.map((one, i): HoldDecision => {
    const { rates } = one;
    // The same as when its rates were taken, but for what a second attempt knows of its hold.
    const call = calls[i] ?? one.call;
    const hold = existing.get(call.requestId);
    const key = figures.keys.get(call.keyId);
    if (hold) return hold.state === 'open' ? repeat(call, hold, hold, key) : refuse(ended(call));
    const twin = holds.get(call.requestId);
    if (twin) return repeat(call, twin.call, { amountNano: twin.holdNano, rates: twin.place }, key);

    if (!rates) return { granted: false, lost: true };
    const account = accounts.get(call.accountId);
    const changed = key !== undefined && isOutdated(one.terms, rates, key.rates);
    if (changed || !rates.taken) {
      const decision = decideCall(call, account, key, figures.nowMs);
      if (!decision.granted) return changed ? { ...decision, ratesOutdated: true } : decision;
      if (changed) return { granted: false, terms: key.rates };
      if (rates.taken) return decision;
      // What open holds took of the key's tokens and do not use is given back when they are settled. That it has open
      // holds is told by their money.
      return refuse(rates.error, isRetryableTpmLimit(rates.error) && (key?.thisMonth.heldNano ?? 0n) > 0n);
    }
    const decision = admitCall(call, account, key, figures.nowMs);
    if (!decision.granted) return decision;
    if (!call.free) holds.set(call.requestId, { call, holdNano: decision.holdNano, place: rates.place });
    else if (rates.place) freeKeyIds.push(call.keyId);
    return decision;
  });
  return { decisions, holds: [...holds.values()], freeKeyIds };
}

/**
 * True when rates were taken under other limits than the key's row has now, or from books that have been
 * rebuilt since: the rebuild, which holds the same lock, can't have seen this call.
 */
function isOutdated(terms: RateTerms | undefined, rates: RateOutcome, now: RateTerms): boolean {
  if (!terms) return isLimited(now);
  if (terms.rpm !== now.rpm || terms.tpm !== now.tpm) return true;
  const generation = rates.taken ? rates.place?.generation : rates.generation;
  return generation !== undefined && generation !== now.generation;
}

/** A call whose hold exists: its reply was lost, so it gets the same one. Any other call with that id is refused. */
function repeat(
  call: CallToAdmit,
  first: { readonly accountId: string; readonly keyId: string },
  held: { readonly amountNano: bigint; readonly rates?: RateReservation | undefined },
  key: KeyFigures | undefined,
): HoldDecision {
  if (!call.mayHaveHold || !isSameCall(call, first)) return refuse(inUse());
  const granted = grant(held.amountNano, key ?? { requestCostLimitNano: null });
  return { ...granted, earlier: { rateReservation: key?.rates.tpm == null ? undefined : held.rates } };
}

const isSameCall = (
  call: CallToAdmit,
  other: { readonly accountId: string; readonly keyId: string },
): boolean => call.accountId === other.accountId && call.keyId === other.keyId;

/** A call that has ended: dispatching it would cost money that nothing holds. */
const ended = (call: CallToAdmit) =>
  new GatewayError('internal_error', { cause: new Error(`request id ${call.requestId} was used before`) });

/** Not `internal_error`, after which the asker gives the hold back: it is another call's. */
const inUse = () =>
  new GatewayError('invalid_request', { detail: 'a call with this request id is in flight' });
