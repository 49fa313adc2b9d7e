import { randomUUID } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { LOGIN_TOKEN } from '@gateway/public-http';
import { jwtVerify, SignJWT } from 'jose';
import type { Session, User } from '../domain/user';
import type { SigningKeys } from './signing-keys';

/** The claims of a valid token. */
export interface TokenClaims {
  readonly sessionId: string;
  /** How often the session's token had been refreshed when this one was issued; undefined if its issuer did not count. */
  readonly renewals: number | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Issues and verifies the JWTs of logins. */
export class LoginTokens {
  readonly #keys: SigningKeys;

  constructor(keys: SigningKeys) {
    this.#keys = keys;
  }

  /** Issues a short-lived token that does not outlive its session. */
  async issue(user: User, session: Session, nowMs: number): Promise<IssuedToken> {
    const expiresAtMs = Math.min(nowMs + LOGIN_TOKEN.lifetimeSeconds * 1_000, session.expiresAtMs);
    const expiresAtSeconds = Math.floor(expiresAtMs / 1_000);
    const { id, privateKey } = this.#keys.current;
    const token = await new SignJWT({ sid: session.id, renewals: session.renewals })
      .setProtectedHeader({ alg: LOGIN_TOKEN.algorithm, kid: id, typ: 'JWT' })
      .setSubject(user.id)
      .setIssuer(LOGIN_TOKEN.issuer)
      .setAudience(LOGIN_TOKEN.audience)
      .setJti(randomUUID())
      .setIssuedAt(Math.floor(nowMs / 1_000))
      .setExpirationTime(expiresAtSeconds)
      .sign(privateKey);
    return { token, expiresAtMs: expiresAtSeconds * 1_000 };
  }

  /** Returns the claims; throws `invalid_api_key`. A token for renewal may have expired. */
  async verify(token: string, forRenewal = false): Promise<TokenClaims> {
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = this.#keys.find(kid);
          if (!key) throw new Error('unknown signing key');
          return key.publicKey;
        },
        {
          algorithms: [LOGIN_TOKEN.algorithm],
          issuer: LOGIN_TOKEN.issuer,
          audience: LOGIN_TOKEN.audience,
          requiredClaims: ['exp', 'iat', 'jti', 'sub', 'sid'],
          clockTolerance: forRenewal ? LOGIN_TOKEN.renewableSeconds : 0,
        },
      );
      return { sessionId: String(payload.sid), renewals: toCount(payload.renewals) };
    } catch (cause) {
      throw new GatewayError('invalid_api_key', { detail: 'a valid login token is required', cause });
    }
  }
}

const toCount = (claim: unknown): number | undefined => (typeof claim === 'number' ? claim : undefined);
