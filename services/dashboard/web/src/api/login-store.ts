/** Assumed for a token whose payload can't be read: the lifetime of the gateway's tokens. */
const DEFAULT_LIFETIME_MS = 15 * 60_000;
/** How long after a token's expiry the gateway refreshes it, if its login has not ended. */
const RENEWABLE_MS = 12 * 60 * 60_000;

export interface Login {
  readonly token: string;
  /** By this machine's clock, which may be wrong: only the token's lifetime is taken from the gateway. */
  readonly expiresAtMs: number;
}

/**
 * `ended`: the gateway no longer accepts the login, or another tab found out; the page stays open for its user to log
 * in again. `out`: logged out, or never logged in.
 */
export interface LoginState {
  readonly status: 'in' | 'ended' | 'out';
  readonly userId: string | undefined;
  /** The user logged out. */
  readonly loggedOut: boolean;
}

export interface LoginStoreDeps {
  /** Storage that all tabs share; null: empty. */
  readonly read: () => string | null;
  readonly write: (value: string | null) => void;
  readonly nowMs: () => number;
}

/** Stored at a logout, so that other tabs log out too. */
const LOGGED_OUT = '{"left":true}';

/** The login, shared by all tabs of this browser. */
export class LoginStore {
  readonly #deps: LoginStoreDeps;
  readonly #listeners = new Set<() => void>();
  #current: Login | undefined;
  #state: LoginState;

  constructor(deps: LoginStoreDeps) {
    this.#deps = deps;
    this.#current = this.#stored();
    this.#state = this.#current
      ? stateOf(this.#current)
      : { status: 'out', userId: undefined, loggedOut: false };
  }

  /** The same object until it changes. */
  get state(): LoginState {
    return this.#state;
  }

  get current(): Login | undefined {
    return this.#current;
  }

  /** The token can only be refreshed. */
  get isExpired(): boolean {
    return this.#current !== undefined && this.#current.expiresAtMs <= this.#deps.nowMs();
  }

  store(token: string): void {
    const login = { token, expiresAtMs: this.#deps.nowMs() + lifetimeMs(token) };
    this.#deps.write(JSON.stringify(login));
    this.#setState(login, stateOf(login));
  }

  /**
   * The gateway has refused this token: the login has ended, unless a newer token has replaced it. Another tab may have
   * refreshed it while this page was in the browser's back/forward cache.
   */
  end(token: string): void {
    const stored = this.#stored();
    if (stored && stored.token !== token) {
      this.#setState(stored, stateOf(stored));
    } else if (this.#current?.token === token) {
      this.#deps.write(null);
      this.#setState(undefined, { ...this.#state, status: 'ended' });
    }
  }

  /** Logs out in all tabs. */
  logOut(): void {
    this.#deps.write(LOGGED_OUT);
    this.#setState(undefined, { status: 'out', userId: undefined, loggedOut: true });
  }

  /** Forgets a login that has ended. */
  forget(): void {
    if (this.#state.status === 'ended') {
      this.#setState(undefined, { status: 'out', userId: undefined, loggedOut: false });
    }
  }

  /** Applies what another tab has stored. */
  syncFromStorage(): void {
    const stored = this.#stored();
    if (stored) this.#setState(stored, stateOf(stored));
    else if (this.#deps.read() === LOGGED_OUT)
      this.#setState(undefined, { status: 'out', userId: undefined, loggedOut: true });
    else if (this.#state.status === 'in') this.#setState(undefined, { ...this.#state, status: 'ended' });
  }

  /**
   * Resolves once the ended login is resumed or given up; true if the same user is logged in. False if the signal
   * aborts.
   */
  waitForLogin(signal?: AbortSignal): Promise<boolean> {
    const { userId } = this.#state;
    return new Promise((resolve) => {
      const look = () => {
        if (this.#state.status === 'ended' && !signal?.aborted) return;
        this.#listeners.delete(look);
        signal?.removeEventListener('abort', look);
        resolve(this.#state.status === 'in' && this.#state.userId === userId && !signal?.aborted);
      };
      this.#listeners.add(look);
      signal?.addEventListener('abort', look);
      look();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #setState(login: Login | undefined, state: LoginState): void {
    this.#current = login;
    const { status, userId, loggedOut } = this.#state;
    if (status === state.status && userId === state.userId && loggedOut === state.loggedOut) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  #stored(): Login | undefined {
    try {
      const stored = JSON.parse(this.#deps.read() ?? 'null');
      const isLogin = typeof stored?.token === 'string' && typeof stored.expiresAtMs === 'number';
      return isLogin && stored.expiresAtMs + RENEWABLE_MS > this.#deps.nowMs() ? stored : undefined;
    } catch {
      return undefined;
    }
  }
}

const stateOf = ({ token }: Login): LoginState => ({
  status: 'in',
  userId: String(payloadOf(token).sub ?? ''),
  loggedOut: false,
});

function lifetimeMs(token: string): number {
  const { iat, exp } = payloadOf(token);
  return Number(exp) > Number(iat) ? (Number(exp) - Number(iat)) * 1_000 : DEFAULT_LIFETIME_MS;
}

function payloadOf(token: string): Record<string, unknown> {
  try {
    return JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}
