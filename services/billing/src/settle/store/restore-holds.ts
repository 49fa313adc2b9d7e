import type { Pool } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { readKeyFigures } from '../../keys/store/read-key-figures';
import { dayOf, requestTimeMs } from '../../reserve/rules/request-id';
import { findHolds, insertHolds, type NewHold } from '../../reserve/store/holds';
import { inTwoRoundTrips } from '../../store/two-round-trip-transaction';
import type { UsageEvent } from '../rules/usage-event';

/**
 * Creates the holds of ended calls that a restored database does not have, so that their events can be settled. Each holds what its
 * event says that the call cost. Accounts and keys that the database does not have are skipped. Returns the number of holds.
 */
export function restoreHolds(pool: Pool, events: readonly UsageEvent[]): Promise<number> {
  // A release needs no hold.
  const ended = events.filter(({ outcome }) => outcome !== 'released');
  return inTwoRoundTrips(pool, {
    read: (batch) => [
      lockAccounts(
        batch,
        ended.map(({ accountId }) => accountId),
      ),
      findHolds(
        batch,
        ended.map(({ requestId }) => requestId),
      ),
      readKeyFigures(batch, { keyIds: ended.map(({ keyId }) => keyId) }),
    ],
    decide: ([accounts, existing, figures]) => {
      const missing = new Map(
        ended
          .filter(
            ({ requestId, accountId, keyId }) =>
              !existing.has(requestId) &&
              accounts.has(accountId) &&
              figures.keys.get(keyId)?.accountId === accountId,
          )
          .map((event) => [event.requestId, event]),
      );
      const byDay = Map.groupBy(missing.values(), dayOfCall);
      return {
        result: () => missing.size,
        write: (batch) => [...byDay].map(([day, calls]) => insertHolds(batch, calls.map(holdOf), day)),
      };
    },
  });
}

const dayOfCall = ({ requestId, startedAtMs }: UsageEvent): string =>
  dayOf(requestTimeMs(requestId, startedAtMs));

function holdOf(event: UsageEvent): NewHold {
  const { requestId, accountId, keyId, model, endpoint, taskId, costNano, loss } = event;
  const holdNano = costNano + (loss?.atMostNano ?? 0n);
  return {
    call: {
      requestId,
      accountId,
      keyId,
      valueId: '',
      model,
      modelOutputs: [],
      bareModelName: false,
      ownerId: '',
      ownerEpoch: 0n,
      boundNano: holdNano,
      floorNano: holdNano,
      promptTokens: 0n,
      outputTokens: 0n,
      free: false,
      needsFunds: false,
      scopes: [],
      clientAddress: '',
      callerNamedMaximum: false,
      makesTask: taskId !== '',
      taskId,
      endpoint,
      isNew: false,
      mayHaveHold: true,
    },
    holdNano,
    reservation: undefined,
  };
}
