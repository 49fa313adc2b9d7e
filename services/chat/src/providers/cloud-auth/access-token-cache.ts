/** A token as its endpoint has issued it. */
export interface AccessToken {
  readonly value: string;
  readonly lifetimeMs: number;
}

interface CachedToken {
  readonly value: string;
  /** Sent until then: a call takes a while to arrive. */
  readonly usableUntilMs: number;
  refreshAtMs: number;
}

const MARGIN_MS = 60_000;
const REFRESH_AHEAD_MS = 5 * 60_000;
/** Between requests to refresh a token that is still usable. */
const RETRY_MS = 10_000;

/** Keeps the access token of one credential. All callers wait for the same request of a token. */
export class AccessTokenCache {
  readonly #fetchToken: () => Promise<AccessToken>;
  readonly #nowMs: () => number;
  #token: CachedToken | undefined;
  #pending: Promise<string> | undefined;

  /**
   * @param fetchToken has a deadline of its own
   * @param nowMs a monotonic clock
   */
  constructor(fetchToken: () => Promise<AccessToken>, nowMs: () => number = () => performance.now()) {
    this.#fetchToken = fetchToken;
    this.#nowMs = nowMs;
  }

  /**
   * Returns the token, or a promise if there is none or it has expired. A token that expires soon is refreshed meanwhile; if that
   * fails, it is used until it expires.
   * @throws UpstreamError by the promise, if no token can be fetched
   */
  get(): string | Promise<string> {
    const token = this.#token;
    const nowMs = this.#nowMs();
    if (!token || nowMs >= token.usableUntilMs) return this.#refresh();
    if (nowMs >= token.refreshAtMs) {
      token.refreshAtMs = nowMs + RETRY_MS;
      this.#refresh().catch(() => {});
    }
    return token.value;
  }

  /** Drops the token: the provider has rejected it, such as after the credential was revoked. */
  forget(): void {
    this.#token = undefined;
  }

  #refresh(): Promise<string> {
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #fetch(): Promise<string> {
    const { value, lifetimeMs } = await this.#fetchToken();
    const nowMs = this.#nowMs();
    this.#token = {
      value,
      usableUntilMs: nowMs + lifetimeMs - MARGIN_MS,
      // Some endpoints return the same token until it expires soon.
      refreshAtMs: nowMs + Math.max(RETRY_MS, lifetimeMs - REFRESH_AHEAD_MS),
    };
    return value;
  }
}
