import { randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { Billing, Caller } from '../clients/billing';
import type { User } from '../domain/user';
import type { PasswordHasher } from '../security/password-hasher';
import { checkInvitation, useInvitation } from '../store/invitations';
import { claimAccountId, findUserByEmail, insertUser } from '../store/users';

export interface RegisterDependencies {
  readonly pool: Pool;
  readonly billing: Billing;
  readonly hasher: PasswordHasher;
}

export interface Registration {
  /** Normalized. */
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** Absent: the user's name. */
  readonly accountName?: string;
  readonly operator: boolean;
  /** The password is given to the user by somebody else. Absent: the user has chosen it. */
  readonly mustChangePassword?: boolean;
  /** Code of an invitation, which is used up. */
  readonly invitation?: string;
  /** Client address of the request. */
  readonly address: string;
}

/**
 * Creates an account and its first user; throws `email_taken`, and `invalid_request` for an invitation that can't be used. The account is created first, with an id that is stored
 * before: if the registration is interrupted, the next attempt with this email completes it.
 */
export async function registerUser(
  { pool, billing, hasher }: RegisterDependencies,
  caller: Caller,
  {
    email,
    password,
    name,
    accountName = name,
    operator,
    mustChangePassword = false,
    invitation,
    address,
  }: Registration,
): Promise<User> {
  if (await findUserByEmail(pool, email)) throw new GatewayError('email_taken');
  // Checked before an account is created, and used when its user is.
  if (invitation !== undefined) await checkInvitation(pool, invitation, email);
  const passwordHash = await hasher.hash(password, address);
  const accountId = await claimAccountId(pool, email, `acct_${randomUUIDv7()}`);
  await billing.createAccount(caller, accountId, accountName);
  const user = {
    id: `user_${randomUUIDv7()}`,
    accountId,
    email,
    name,
    role: 'owner' as const,
    operator,
    mustChangePassword,
  };
  const inserted = await insertUser(pool, user, passwordHash, async (client) => {
    if (invitation !== undefined) await useInvitation(client, invitation, { email, accountId });
  });
  if (!inserted) throw new GatewayError('email_taken');
  return inserted;
}
