import { type Queryable, rowsOf, statement } from './statement';

/** Channel on which billing's instances tell each other which cached keys are outdated. */
export const KEYS_CHANNEL = 'billing_keys';

/** Cached keys that are no longer what they were: these, and every one of these accounts. */
export interface KeyChanges {
  readonly keyIds: readonly string[];
  readonly accountIds: readonly string[];
}

const NOTIFY = statement('notify-keys', `SELECT pg_notify('${KEYS_CHANNEL}', $1)`);

/** Sent if and when the transaction commits. */
export async function notifyKeys(on: Queryable, changes: KeyChanges): Promise<void> {
  await rowsOf(on, NOTIFY, [JSON.stringify(changes)]);
}
