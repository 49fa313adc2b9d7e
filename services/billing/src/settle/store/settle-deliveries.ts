import { type Pool, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { attachAccountUse, readKeyFigures } from '../../keys/store/read-key-figures';
import type { RateCorrection } from '../../rates/rules/rate-limiter';
import { type AccountFigures, freeNano } from '../../reserve/rules/admission';
import { findHolds, insertTombstones } from '../../reserve/store/holds';
import { isTransient } from '../../store/statement';
import { ifAny, inBatch, inTwoRoundTrips } from '../../store/two-round-trip-transaction';
import { insertUsageRecords } from '../../usage/store/usage-records';
import { type Hold, type HoldEnd, settleExpiredHold, settleOpenHold } from '../rules/charge-hold';
import type { Delivery, DeliveryOutcome } from '../rules/delivery';
import { MalformedEvent, type UsageEvent } from '../rules/usage-event';
import { countLosses } from './abandoned-costs';
import { type DeadLetter, insertDeadLetters } from './dead-letters';
import { endHolds } from './end-holds';

/**
 * Settles deliveries and returns the outcome of each. The first event of a request wins. An event that can't be applied is
 * stored as a dead letter; so is a single delivery that the database itself rejects, so that it is not retried forever.
 */
export async function settleDeliveries(
  pool: Pool,
  deliveries: readonly Delivery[],
  lossLimitNano: bigint,
): Promise<DeliveryOutcome[]> {
  try {
    const { outcomes, late } = await settleTogether(pool, deliveries, lossLimitNano);
    // Rare; each depends on what those before it left.
    for (const event of late) await settleLate(pool, event);
    return outcomes;
  } catch (error) {
    if (deliveries.length !== 1 || isTransient(error)) throw error;
    const reason = `refused by the database: ${error instanceof Error ? error.message : 'unknown'}`;
    await insertDeadLetters(pool, [{ delivery: deliveries[0]!, reason }]);
    return [{ kind: 'dead', reason }];
  }
}

/** What has to be done for the events of one batch. */
interface Plan {
  readonly outcomes: DeliveryOutcome[];
  readonly open: { readonly end: HoldEnd; readonly event: UsageEvent }[];
  readonly late: UsageEvent[];
  readonly tombstones: UsageEvent[];
  readonly letters: DeadLetter[];
}

function settleTogether(pool: Pool, deliveries: readonly Delivery[], lossLimitNano: bigint): Promise<Plan> {
  const events = deliveries.map(({ event }) => event).filter(isWellFormed);
  return inTwoRoundTrips(pool, {
    read: (batch) => [
      lockAccounts(
        batch,
        events.map((event) => event.accountId),
      ),
      findHolds(
        batch,
        events.map((event) => event.requestId),
      ),
    ],
    decide: ([accounts, holds]) => {
      const plan = makePlan(deliveries, accounts, holds);
      const ends = plan.open.map(({ end }) => end);
      const limited = ends.filter(({ isLimited, lossNano }) => isLimited && lossNano > 0n);
      const charged = plan.open.map(({ event, end }) => ({ event, chargedNano: end.chargedNano }));
      for (const event of plan.tombstones) charged.push({ event, chargedNano: 0n });
      return {
        result: () => plan,
        write: (batch) => [
          ...ifAny(ends, (list) => endHolds(batch, list)),
          ...ifAny(limited, (list) => countLosses(batch, list, lossLimitNano)),
          ...ifAny(plan.tombstones, (list) => insertTombstones(batch, list)),
          ...ifAny(charged, (list) => insertUsageRecords(batch, list)),
          ...ifAny(plan.letters, (list) => insertDeadLetters(batch, list)),
        ],
      };
    },
  });
}

function makePlan(
  deliveries: readonly Delivery[],
  accounts: ReadonlyMap<string, AccountFigures>,
  holds: ReadonlyMap<string, Hold>,
): Plan {
  const plan: Plan = { outcomes: [], open: [], late: [], tombstones: [], letters: [] };
  const seen = new Set<string>();
  for (const delivery of deliveries) {
    const { event } = delivery;
    const hold = isWellFormed(event) ? holds.get(event.requestId) : undefined;
    const reason = whyDead(event, accounts, hold);
    if (reason !== undefined) {
      plan.letters.push({ delivery, reason });
      plan.outcomes.push({ kind: 'dead', reason });
    } else if (isWellFormed(event)) {
      plan.outcomes.push(
        seen.has(event.requestId) ? { kind: 'duplicate' } : planSettlement(plan, event, hold),
      );
      seen.add(event.requestId);
    }
  }
  return plan;
}

/** What the call used of its rates, if known. */
function correction(
  { hold: { rates, requestId }, usedTokens }: HoldEnd,
  { streamed }: UsageEvent,
): { rates?: RateCorrection } {
  return rates && usedTokens !== null ? { rates: { ...rates, requestId, usedTokens, streamed } } : {};
}

function whyDead(
  event: Delivery['event'],
  accounts: ReadonlyMap<string, AccountFigures>,
  hold: Hold | undefined,
): string | undefined {
  if (!isWellFormed(event)) return `malformed: ${event.message}`;
  if (!accounts.has(event.accountId)) return 'unknown account';
  if (!hold) return event.outcome === 'released' ? undefined : 'unknown hold';
  return hold.accountId === event.accountId && hold.keyId === event.keyId
    ? undefined
    : "another account's or key's hold";
}

function planSettlement(plan: Plan, event: UsageEvent, hold: Hold | undefined): DeliveryOutcome {
  if (hold?.state === 'open') {
    const end = settleOpenHold(hold, event);
    plan.open.push({ end, event });
    return { kind: 'applied', ...correction(end, event) };
  }
  if (!hold) plan.tombstones.push(event);
  // The rates of an expired hold no longer matter.
  else if (hold.state === 'expired') plan.late.push(event);
  else return { kind: 'duplicate' };
  return { kind: 'applied' };
}

const isWellFormed = (event: Delivery['event']): event is UsageEvent => !(event instanceof MalformedEvent);

/** Applies the final event of an expired hold, unless another one was first. */
function settleLate(pool: Pool, event: UsageEvent): Promise<void> {
  return withTransaction(pool, async (client) => {
    const accounts = await lockAccounts(client, [event.accountId]);
    const hold = (await findHolds(client, [event.requestId])).get(event.requestId);
    if (hold?.state !== 'expired') return;
    const figures = await readKeyFigures(client, { keyIds: [hold.keyId], day: hold.day });
    attachAccountUse(accounts, figures);
    const account = accounts.get(hold.accountId);
    const key = figures.keys.get(hold.keyId);
    const end = settleExpiredHold(hold, event, account && key ? freeNano(account, key) : 0n);
    await inBatch(client, (batch) => [
      endHolds(batch, [end]),
      insertUsageRecords(batch, [{ event, chargedNano: end.chargedNano }]),
    ]);
  });
}
