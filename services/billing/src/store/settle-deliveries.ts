import { type Pool, type PoolClient, withTransaction } from '@gateway/runtime';
import { freeNano } from '../domain/admission';
import type { Delivery, DeliveryOutcome } from '../domain/delivery';
import { type Hold, settleExpiredHold, settleOpenHold } from '../domain/settlement';
import { MalformedEvent, type UsageEvent } from '../domain/usage-event';
import { type DeadLetter, insertDeadLetters } from './dead-letters';
import { endHolds } from './end-holds';
import { findHolds, insertTombstones } from './holds';
import { lockAccounts } from './lock-accounts';
import { readKeyFigures } from './read-key-figures';
import { isTransient } from './statement';
import { type ChargedEvent, insertUsageRecords } from './usage-records';

/**
 * Settles what was delivered in one transaction and says what became of each. The first event of a request
 * wins. What can't be applied is set aside as a dead letter; a lone delivery that the database itself
 * refuses is too, so that it can't come back for ever.
 */
export async function settleDeliveries(
  pool: Pool,
  deliveries: readonly Delivery[],
): Promise<DeliveryOutcome[]> {
  try {
    return await withTransaction(pool, (client) => settle(client, deliveries));
  } catch (error) {
    if (deliveries.length !== 1 || isTransient(error)) throw error;
    const reason = `refused by the database: ${error instanceof Error ? error.message : 'unknown'}`;
    await insertDeadLetters(pool, [{ delivery: deliveries[0]!, reason }]);
    return [{ kind: 'dead', reason }];
  }
}

/** What is to be done with the events of one batch. */
interface Plan {
  readonly open: { hold: Hold; event: UsageEvent }[];
  readonly late: { hold: Hold; event: UsageEvent }[];
  readonly tombstones: UsageEvent[];
  readonly letters: DeadLetter[];
}

async function settle(client: PoolClient, deliveries: readonly Delivery[]): Promise<DeliveryOutcome[]> {
  const events = deliveries.map(({ event }) => event).filter(isWellFormed);
  const accounts = await lockAccounts(
    client,
    events.map((event) => event.accountId),
  );
  const holds = await findHolds(
    client,
    events.map((event) => event.requestId),
  );
  const plan: Plan = { open: [], late: [], tombstones: [], letters: [] };
  const seen = new Set<string>();
  const outcomes = deliveries.map((delivery): DeliveryOutcome => {
    const { event } = delivery;
    if (event instanceof MalformedEvent) return bury(plan, delivery, `malformed: ${event.message}`);
    if (!accounts.has(event.accountId)) return bury(plan, delivery, 'unknown account');
    const hold = holds.get(event.requestId);
    if (hold && (hold.accountId !== event.accountId || hold.keyId !== event.keyId)) {
      return bury(plan, delivery, "another account's or key's hold");
    }
    if (seen.has(event.requestId)) return { kind: 'duplicate' };
    if (!hold && event.outcome === 'settled') return bury(plan, delivery, 'unknown hold');
    seen.add(event.requestId);
    if (!hold) plan.tombstones.push(event);
    else if (hold.state === 'open') plan.open.push({ hold, event });
    else if (hold.state === 'expired') plan.late.push({ hold, event });
    else return { kind: 'duplicate' };
    return { kind: 'applied' };
  });
  await carryOut(client, plan);
  return outcomes;
}

const isWellFormed = (event: Delivery['event']): event is UsageEvent => !(event instanceof MalformedEvent);

function bury(plan: Plan, delivery: Delivery, reason: string): DeliveryOutcome {
  plan.letters.push({ delivery, reason });
  return { kind: 'dead', reason };
}

async function carryOut(client: PoolClient, plan: Plan): Promise<void> {
  const ends = plan.open.map(({ hold, event }) => settleOpenHold(hold, event));
  await endHolds(client, ends);
  const charged: ChargedEvent[] = plan.open.map(({ event }, i) => ({
    event,
    chargedNano: ends[i]!.chargedNano,
  }));
  for (const { hold, event } of plan.late) {
    charged.push({ event, chargedNano: await settleLate(client, hold, event) });
  }
  for (const event of plan.tombstones) charged.push({ event, chargedNano: 0n });
  await insertTombstones(client, plan.tombstones);
  await insertUsageRecords(client, charged);
  await insertDeadLetters(client, plan.letters);
}

/** One at a time, each against what those before it left: late finals are rare. */
async function settleLate(client: PoolClient, hold: Hold, event: UsageEvent): Promise<bigint> {
  const accounts = await lockAccounts(client, [hold.accountId]);
  const { keys } = await readKeyFigures(client, [hold.keyId], accounts, hold.day);
  const account = accounts.get(hold.accountId);
  const key = keys.get(hold.keyId);
  const end = settleExpiredHold(hold, event, account && key ? freeNano(account, key) : 0n);
  await endHolds(client, [end]);
  return end.chargedNano;
}
