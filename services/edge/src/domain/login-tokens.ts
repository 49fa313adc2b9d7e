import { GatewayError } from '@gateway/errors';
import { LOGIN_TOKEN } from '@gateway/public-http';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';

export interface LoginTokensOptions {
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  /** A token that names an unknown key makes us ask again, but no more often than this. */
  readonly minRefetchMs: number;
  /** Known keys are asked for anew after this time, so that withdrawn ones end. */
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

export interface VerifyOptions {
  /** Tokens that ended no longer ago than this pass too. */
  readonly endedForSeconds?: number;
}

/** Verifies login tokens by the dashboard's public keys. */
export class LoginTokens {
  readonly #options: LoginTokensOptions;
  readonly #now: () => number;
  #keys: JWTVerifyGetKey | undefined;
  #fetchedMs = Number.NEGATIVE_INFINITY;
  #triedMs = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(options: LoginTokensOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Who the token is for. Rejects with `invalid_api_key` for one that is not good, `internal_error` when that
   * can't be told.
   */
  async verify(token: string, options: VerifyOptions = {}): Promise<string> {
    if (this.#now() - this.#fetchedMs >= this.#options.maxAgeMs) await this.#refetch();
    try {
      return await this.#check(token, options);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw refused(error);
      await this.#refetch();
      return await this.#check(token, options).catch((again) => {
        throw refused(again);
      });
    }
  }

  async #check(token: string, { endedForSeconds = 0 }: VerifyOptions): Promise<string> {
    if (!this.#keys) {
      throw new GatewayError('internal_error', { cause: new Error('the dashboard gave no signing keys') });
    }
    const { payload } = await jwtVerify(token, this.#keys, {
      algorithms: [LOGIN_TOKEN.algorithm],
      issuer: LOGIN_TOKEN.issuer,
      audience: LOGIN_TOKEN.audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: endedForSeconds,
      currentDate: new Date(this.#now()),
    });
    return payload.sub ?? '';
  }

  /** Keeps the keys it has when the dashboard does not answer. */
  #refetch(): Promise<void> {
    if (this.#fetching) return this.#fetching;
    // With no keys at all every request fails anyway, so trying again costs nobody anything.
    if (this.#keys && this.#now() - this.#triedMs < this.#options.minRefetchMs) return Promise.resolve();
    this.#triedMs = this.#now();
    this.#fetching = this.#options
      .fetchKeys()
      .then(
        (keySet) => {
          this.#keys = createLocalJWKSet(keySet);
          this.#fetchedMs = this.#now();
        },
        () => undefined,
      )
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }
}

function refused(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError(error instanceof errors.JOSEError ? 'invalid_api_key' : 'internal_error', {
    cause: error,
  });
}
