import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { User } from '../domain/user';
import { temporaryPassword } from '../security/first-password';
import type { PasswordHasher } from '../security/password-hasher';
import { findMember, type Member, replacePassword } from '../store/members';

export interface PasswordRenewal {
  readonly accountId: string;
  readonly memberId: string;
  /** The user who requests it. */
  readonly by: User;
  readonly address: string;
}

/**
 * Replaces a member's lost password with a new one, which is returned and not stored, and ends the member's logins. Users
 * can't replace their own password in this way, because a stolen login would then be enough to take an account over; nor can
 * an owner replace that of an operator, who has more permissions. Throws `not_found` and `invalid_request`.
 */
export async function renewPassword(
  { pool, hasher }: { readonly pool: Pool; readonly hasher: PasswordHasher },
  { accountId, memberId, by, address }: PasswordRenewal,
): Promise<{ member: Member; password: string }> {
  // Checked before a hash is computed.
  const { isOperator } = await findMember(pool, accountId, memberId);
  if (memberId === by.id) {
    throw new GatewayError('invalid_request', { detail: 'use auth/password to change your own password' });
  }
  if (isOperator && !by.operator) {
    throw new GatewayError('invalid_request', {
      detail: "only operators can reset an operator's password",
    });
  }
  const password = temporaryPassword();
  const passwordHash = await hasher.hash(password, address);
  const member = await replacePassword(pool, {
    accountId,
    id: memberId,
    passwordHash,
    ofOperators: by.operator,
  });
  return { member, password };
}
