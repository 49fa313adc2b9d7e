import { createHash, randomUUIDv7 } from 'node:crypto';
import type { UserCall } from './endpoint';

/**
 * The id of something that must be made once however often it is asked for: the same `Idempotency-Key`
 * from the same user for the same account names the same.
 */
export function idempotentId(prefix: string, { user, idempotencyKey }: UserCall, accountId: string): string {
  if (idempotencyKey === undefined) return `${prefix}_${randomUUIDv7()}`;
  const digest = createHash('sha256').update(JSON.stringify([user.id, accountId, idempotencyKey]));
  return `${prefix}_${digest.digest('hex').slice(0, 32)}`;
}
