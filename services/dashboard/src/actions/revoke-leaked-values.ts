import type { Billing, Caller } from '../clients/billing';
import type { Origin, SecurityEvents } from './security-events';

export interface LeakedValue {
  readonly value: string;
  /** For the owner of its key: who found it, and where. */
  readonly reason: string;
}

export interface RevokedValue {
  readonly keyId: string;
  readonly accountId: string;
  readonly hint: string;
  readonly outcome: 'key_revoked' | 'value_ended' | 'unchanged';
}

/** The party that reports leaked values. */
export interface Reporter {
  readonly id: string;
  /** The reporter as shown in the audit logs of the keys' accounts. */
  readonly name: string;
  readonly isOperator: boolean;
}

const OUTCOMES = {
  LEAKED_VALUE_OUTCOME_KEY_REVOKED: 'key_revoked',
  LEAKED_VALUE_OUTCOME_VALUE_ENDED: 'value_ended',
  LEAKED_VALUE_OUTCOME_UNCHANGED: 'unchanged',
  LEAKED_VALUE_OUTCOME_UNSPECIFIED: 'unchanged',
} as const;
const EVENTS = {
  key_revoked: 'key.revoked_as_leaked',
  value_ended: 'key.replaced_value_leaked',
  unchanged: undefined,
} as const;
/** Revocations at once: each takes the lock of an account. */
const CONCURRENCY = 4;

/** Revokes the keys of these values; returns undefined in the place of an unknown value. */
export async function revokeLeakedValues(
  { billing, events }: { readonly billing: Billing; readonly events: SecurityEvents },
  caller: Caller,
  leaked: readonly LeakedValue[],
  { reporter, origin }: { readonly reporter: Reporter; readonly origin: Origin },
): Promise<(RevokedValue | undefined)[]> {
  const revoked: (RevokedValue | undefined)[] = [];
  const failures: unknown[] = [];
  const rest = leaked.entries();
  const revoke = async (index: number, { value, reason }: LeakedValue) => {
    const answer = await billing.revokeLeakedValue(caller, value, reason);
    const key = answer?.key;
    if (!key) return;
    const outcome = OUTCOMES[answer.outcome];
    revoked[index] = { keyId: key.id, accountId: key.accountId, hint: key.hint, outcome };
    await record({ events, reporter, origin }, revoked[index], reason);
  };
  const work = async () => {
    for (const [index, one] of rest) await revoke(index, one).catch((error) => failures.push(error));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  // The others are revoked nevertheless.
  if (failures.length > 0) throw failures[0];
  return leaked.map((_, index) => revoked[index]);
}

async function record(
  { events, reporter, origin }: { events: SecurityEvents; reporter: Reporter; origin: Origin },
  { keyId, accountId, outcome }: RevokedValue,
  reason: string,
): Promise<void> {
  const event = EVENTS[outcome];
  if (!event) {
    events.log({ event: 'key.leak_reported', actorId: reporter.id, accountId, subject: keyId }, origin);
    return;
  }
  const actor = { accountId, id: reporter.id, email: reporter.name, byOperator: reporter.isOperator };
  await events.audit({ event, subject: keyId, reason }, actor, origin);
}
