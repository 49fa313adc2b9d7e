import { GatewayError } from '@gateway/proto';
import { type Pool, type PoolClient, withTransaction } from '@gateway/runtime';
import { admitCall, type CallToAdmit, type Decision, decideCall, grant, refuse } from '../domain/admission';
import type { Hold } from '../domain/settlement';
import { findHolds, insertHolds } from './holds';
import { lockAccounts } from './lock-accounts';
import { readKeyFigures } from './read-key-figures';

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
  return withTransaction(pool, (client) => decideAndHold(client, calls, refusedByRates));
}

async function decideAndHold(
  client: PoolClient,
  calls: readonly CallToAdmit[],
  refusedByRates: readonly (GatewayError | undefined)[],
): Promise<Decision[]> {
  const accounts = await lockAccounts(
    client,
    calls.map((call) => call.accountId),
  );
  const { keys, nowMs } = await readKeyFigures(
    client,
    calls.map((call) => call.keyId),
    accounts,
  );
  const existing = await findHolds(
    client,
    calls.map((call) => call.requestId),
  );
  const granted = new Map<string, { call: CallToAdmit; holdNano: bigint }>();
  const decisions = calls.map((call, i): Decision => {
    const hold = existing.get(call.requestId);
    if (hold) return repeat(call, hold);
    const twin = granted.get(call.requestId);
    if (twin) return isSameCall(call, twin.call) ? grant(twin.holdNano) : refuse(reused(call));

    const account = accounts.get(call.accountId);
    const key = keys.get(call.keyId);
    const rateRefusal = refusedByRates[i];
    if (rateRefusal) {
      const decision = decideCall(call, account, key, nowMs);
      return decision.granted ? refuse(rateRefusal) : decision;
    }
    const decision = admitCall(call, account, key, nowMs);
    if (decision.granted && !call.free) {
      granted.set(call.requestId, { call, holdNano: decision.holdNano });
    }
    return decision;
  });
  if (granted.size > 0) await insertHolds(client, [...granted.values()]);
  return decisions;
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
