import { GatewayError } from '@gateway/proto';
import type { Pool } from '@gateway/runtime';
import {
  type AccountFigures,
  admitCall,
  type CallToAdmit,
  type Decision,
  decideCall,
  grant,
  refuse,
} from '../domain/admission';
import type { Hold } from '../domain/settlement';
import { findHolds, insertHolds } from './holds';
import { lockAccounts } from './lock-accounts';
import { countAccountUse, type FiguresAtHand, readKeyFigures } from './read-key-figures';
import { inTwoSteps } from './two-step';

/**
 * Decides the calls in turn against the locked state and holds the money of those granted, in one
 * transaction. `refusedByRates[i]` is what the rates say against call i: then nothing is held, and it is
 * answered unless the money has an error that goes before it.
 */
export function holdCalls(
  pool: Pool,
  calls: readonly CallToAdmit[],
  refusedByRates: readonly (GatewayError | undefined)[] = [],
): Promise<Decision[]> {
  const column = (pick: (call: CallToAdmit) => string) => calls.map(pick);
  return inTwoSteps(pool, {
    read: (client) => [
      lockAccounts(
        client,
        column((call) => call.accountId),
      ),
      readKeyFigures(
        client,
        column((call) => call.keyId),
      ),
      findHolds(
        client,
        column((call) => call.requestId),
      ),
    ],
    decide: ([accounts, figures, existing]) => {
      countAccountUse(accounts, figures);
      const { decisions, holds } = decideInTurn(calls, refusedByRates, { accounts, figures, existing });
      return { result: decisions, write: (client) => (holds.length > 0 ? [insertHolds(client, holds)] : []) };
    },
  });
}

interface Found {
  readonly accounts: ReadonlyMap<string, AccountFigures>;
  readonly figures: FiguresAtHand;
  readonly existing: ReadonlyMap<string, Hold>;
}

interface NewHold {
  readonly call: CallToAdmit;
  readonly holdNano: bigint;
}

function decideInTurn(
  calls: readonly CallToAdmit[],
  refusedByRates: readonly (GatewayError | undefined)[],
  { accounts, figures, existing }: Found,
): { decisions: Decision[]; holds: NewHold[] } {
  const holds = new Map<string, NewHold>();
  const decisions = calls.map((call, i): Decision => {
    const hold = existing.get(call.requestId);
    if (hold) return repeat(call, hold);
    const twin = holds.get(call.requestId);
    if (twin) return isSameCall(call, twin.call) ? grant(twin.holdNano) : refuse(reused(call));

    const account = accounts.get(call.accountId);
    const key = figures.keys.get(call.keyId);
    const rateRefusal = refusedByRates[i];
    if (rateRefusal) {
      const decision = decideCall(call, account, key, figures.nowMs);
      return decision.granted ? refuse(rateRefusal) : decision;
    }
    const decision = admitCall(call, account, key, figures.nowMs);
    if (decision.granted && !call.free) holds.set(call.requestId, { call, holdNano: decision.holdNano });
    return decision;
  });
  return { decisions, holds: [...holds.values()] };
}

/** A call whose hold exists: its reply was lost, so it gets the same one. */
function repeat(call: CallToAdmit, hold: Hold): Decision {
  return hold.state === 'open' && isSameCall(call, hold) ? grant(hold.amountNano) : refuse(reused(call));
}

const isSameCall = (
  call: CallToAdmit,
  other: { readonly accountId: string; readonly keyId: string },
): boolean => call.accountId === other.accountId && call.keyId === other.keyId;

/** A call that has ended, or another's: dispatching it would cost money that nothing holds. */
const reused = (call: CallToAdmit) =>
  new GatewayError('internal_error', { cause: new Error(`request id ${call.requestId} was used before`) });
