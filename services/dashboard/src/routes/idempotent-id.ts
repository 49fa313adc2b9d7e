import { createHash, randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { UserCall } from './endpoint';

const MAX_KEY = 255;

/**
 * Returns the id of an object that is created once however often it is requested: the same `Idempotency-Key` of the same user
 * and account gives the same id. An invalid key is refused rather than shortened or ignored, which would merge different
 * objects or create one twice.
 */
export function idempotentId(
  prefix: string,
  { user, idempotencyKey }: Pick<UserCall, 'user' | 'idempotencyKey'>,
  accountId: string,
): string {
  if (idempotencyKey === undefined) return `${prefix}_${randomUUIDv7()}`;
  if (idempotencyKey === '' || idempotencyKey.length > MAX_KEY) {
    const detail = `Idempotency-Key must have 1 to ${MAX_KEY} characters`;
    throw new GatewayError('invalid_request', { detail });
  }
  const digest = createHash('sha256').update(JSON.stringify([user.id, accountId, idempotencyKey]));
  return `${prefix}_${digest.digest('hex').slice(0, 32)}`;
}
