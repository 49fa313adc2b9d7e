import { createHash, randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { UserCall } from './endpoint';

const MAX_KEY = 255;

/**
 * The id of something that must be made once however often it is asked for: the same `Idempotency-Key`
 * from the same user for the same account names the same. A key that is no use is refused rather than cut
 * short or taken for none: different things would be made one, or one thing twice.
 */
export function idempotentId(prefix: string, { user, idempotencyKey }: UserCall, accountId: string): string {
  if (idempotencyKey === undefined) return `${prefix}_${randomUUIDv7()}`;
  if (idempotencyKey === '' || idempotencyKey.length > MAX_KEY) {
    const detail = `Idempotency-Key is not a text of 1 to ${MAX_KEY} characters`;
    throw new GatewayError('invalid_request', { detail });
  }
  const digest = createHash('sha256').update(JSON.stringify([user.id, accountId, idempotencyKey]));
  return `${prefix}_${digest.digest('hex').slice(0, 32)}`;
}
