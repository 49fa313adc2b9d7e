import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { Login } from '../domain/user';
import type { LoginTokens } from '../security/login-tokens';
import { findSession } from '../store/sessions';

const BEARER = /^Bearer ([^\s]+)$/;
const API_KEY = /^bearer\s+sk-gw-/i;

/** API keys belong to the other address space: here they get `not_found`. */
export const isApiKey = (authorization: string | undefined): boolean => API_KEY.test(authorization ?? '');

/** Returns the token of an `Authorization` header. */
export const readBearer = (authorization: string | undefined): string | undefined =>
  BEARER.exec(authorization ?? '')?.[1];

/**
 * Returns the user and session of a login token. A valid signature is not enough: the session must not have ended, so that a
 * logout takes effect at once. Throws `invalid_api_key`.
 */
export async function authenticate(
  { pool, tokens }: { pool: Pool; tokens: LoginTokens },
  token: string | undefined,
  forRenewal = false,
): Promise<Login> {
  if (!token) throw new GatewayError('invalid_api_key', { detail: 'a login token is required' });
  const { sessionId, renewals } = await tokens.verify(token, forRenewal);
  const login = await findSession(pool, sessionId);
  if (!login) throw new GatewayError('invalid_api_key', { detail: 'the session has ended' });
  return { ...login, tokenRenewals: renewals };
}
