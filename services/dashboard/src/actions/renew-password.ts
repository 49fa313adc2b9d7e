import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { User } from '../domain/user';
import { firstPassword } from '../security/first-password';
import type { PasswordHasher } from '../security/password-hasher';
import { findMember, type Member, replacePassword } from '../store/members';

export interface PasswordRenewal {
  readonly accountId: string;
  readonly memberId: string;
  /** Who asks for it. */
  readonly by: User;
  readonly address: string;
}

/**
 * A new first password for somebody who lost his, which is told this once; his logins end. Nobody gets his own in this
 * way, else a stolen login would be enough to take a user over; nor does an owner get that of an operator, which opens
 * more than the account. Throws `not_found` and `invalid_request`.
 */
export async function renewPassword(
  { pool, hasher }: { readonly pool: Pool; readonly hasher: PasswordHasher },
  { accountId, memberId, by, address }: PasswordRenewal,
): Promise<{ member: Member; password: string }> {
  // Before it costs a hash.
  const { isOperator } = await findMember(pool, accountId, memberId);
  if (memberId === by.id) {
    throw new GatewayError('invalid_request', { detail: 'the own password is changed by auth/password' });
  }
  if (isOperator && !by.operator) {
    throw new GatewayError('invalid_request', {
      detail: "an operator's password is not an owner's to renew",
    });
  }
  const password = firstPassword();
  const passwordHash = await hasher.hash(password, address);
  return { member: await replacePassword(pool, accountId, memberId, passwordHash), password };
}
