import { GatewayError } from '@gateway/errors';
import { LOGIN_TOKEN } from '@gateway/public-http';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';

export interface LoginTokensOptions {
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  /** Minimum time between fetches that are triggered by tokens with an unknown key. */
  readonly minRefetchMs: number;
  /** Keys are fetched again after this time, so that withdrawn keys stop working. */
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

export interface VerifyOptions {
  /** Accepts tokens that expired no longer ago than this. */
  readonly maxExpiredSeconds?: number;
}

/** Verifies login tokens with the dashboard's public keys. */
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
   * Returns the user of the token. Rejects with `invalid_api_key` for an invalid token and `internal_error` when it can't be
   * verified.
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

  async #check(token: string, { maxExpiredSeconds = 0 }: VerifyOptions): Promise<string> {
    if (!this.#keys) {
      throw new GatewayError('internal_error', { cause: new Error('the dashboard gave no signing keys') });
    }
    const { payload } = await jwtVerify(token, this.#keys, {
      algorithms: [LOGIN_TOKEN.algorithm],
      issuer: LOGIN_TOKEN.issuer,
      audience: LOGIN_TOKEN.audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: maxExpiredSeconds,
      currentDate: new Date(this.#now()),
    });
    return payload.sub ?? '';
  }

  /** Keeps the current keys when the dashboard does not answer. */
  #refetch(): Promise<void> {
    if (this.#fetching) return this.#fetching;
    // Without any keys every request fails anyway, so another attempt does no harm.
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
