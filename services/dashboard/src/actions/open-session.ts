import { randomUUIDv7 } from 'node:crypto';
import type { Pool } from '@gateway/postgres';
import type { User } from '../domain/user';
import type { IssuedToken, LoginTokens } from '../security/login-tokens';
import { insertSession } from '../store/sessions';

/** How long a login can be extended by refreshing its token. */
const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;

export async function openSession(
  { pool, tokens }: { pool: Pool; tokens: LoginTokens },
  user: User,
): Promise<IssuedToken> {
  const session = await insertSession(pool, {
    id: randomUUIDv7(),
    userId: user.id,
    lifetimeSeconds: SESSION_LIFETIME_SECONDS,
  });
  return tokens.issue(user, session, Date.now());
}
