import { type Queryable, rowsOf, statement } from '../../store/statement';
import type { KeyChanges } from '../rules/key-changes';

/** Channel on which billing's instances announce outdated cached keys. */
export const KEYS_CHANNEL = 'billing_keys';

const NOTIFY = statement('notify-keys', `SELECT pg_notify('${KEYS_CHANNEL}', $1)`);

/** Sent when the transaction commits. */
export async function notifyKeys(on: Queryable, changes: KeyChanges): Promise<void> {
  await rowsOf(on, NOTIFY, [JSON.stringify(changes)]);
}
