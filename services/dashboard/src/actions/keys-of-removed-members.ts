import type { Pool } from '@gateway/postgres';
import type { ApiKey__Output } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { Billing, Caller } from '../clients/billing';
import { listRemovedMembers, type RemovedMember } from '../store/members';

/** More than the keys of an account. */
const ALL_KEYS = 1_000;

export interface RemovedHolder extends RemovedMember {
  readonly keys: readonly ApiKey__Output[];
}

/** Returns the removed members who know a value of a key that may still be used, latest first, with these keys. */
export async function keysOfRemovedMembers(
  { pool, billing }: { readonly pool: Pool; readonly billing: Billing },
  caller: Caller,
  accountId: string,
): Promise<RemovedHolder[]> {
  const removed = await listRemovedMembers(pool, accountId);
  const keys = await keysHeldBy(
    billing,
    caller,
    accountId,
    removed.map(({ id }) => id),
  );
  return removed
    .map((member) => ({ ...member, keys: keys.filter(({ holderIds }) => holderIds.includes(member.id)) }))
    .filter((member) => member.keys.length > 0);
}

/** Returns the keys, except revoked ones, of which one of these users knows a value. */
export async function keysHeldBy(
  billing: Billing,
  caller: Caller,
  accountId: string,
  holderIds: readonly string[],
): Promise<ApiKey__Output[]> {
  // Without holders, billing would return every key.
  if (holderIds.length === 0) return [];
  const page = { limit: ALL_KEYS, cursor: '' };
  const { keys } = await billing.listKeys(caller, accountId, page, holderIds);
  return keys.filter(({ status }) => status !== 'KEY_STATUS_REVOKED');
}
