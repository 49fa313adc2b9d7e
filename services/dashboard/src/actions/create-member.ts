import { randomUUIDv7 } from 'node:crypto';
import type { Pool } from '@gateway/postgres';
import type { Role } from '../domain/access';
import { temporaryPassword } from '../security/first-password';
import type { PasswordHasher } from '../security/password-hasher';
import { insertMember, type Member } from '../store/members';

/** Creates a member and returns its first password, which is not stored. Throws as `insertMember` does. */
export async function createMember(
  { pool, hasher }: { readonly pool: Pool; readonly hasher: PasswordHasher },
  accountId: string,
  member: { readonly email: string; readonly name: string; readonly role: Role },
  address: string,
): Promise<{ member: Member; password: string }> {
  const password = temporaryPassword();
  const passwordHash = await hasher.hash(password, address);
  const id = `user_${randomUUIDv7()}`;
  return { member: await insertMember(pool, { ...member, id, accountId, passwordHash }), password };
}
