/** Of a token whose payload can't be read; as long as the gateway's tokens live. */
const USUAL_LIFETIME_MS = 15 * 60_000;
/** For so long after a token's end the gateway renews it, if the login behind it has not ended. */
const RENEWABLE_MS = 12 * 60 * 60_000;

export interface Login {
  readonly token: string;
  /** By this machine's clock, which may be wrong: only the token's own lifetime is taken from the gateway. */
  readonly expiresAtMs: number;
}

/**
 * `ended` is a login that the gateway takes no more, or that another tab found so: what is on the page stays, for its
 * user to come back. Whoever is `out` has left, or was never in.
 */
export interface LoginState {
  readonly status: 'in' | 'ended' | 'out';
  readonly userId: string | undefined;
  /** They wanted to go. */
  readonly left: boolean;
}

export interface LoginStoreDeps {
  /** What the tabs of a browser have in common; null for nothing. */
  readonly read: () => string | null;
  readonly write: (value: string | null) => void;
  readonly nowMs: () => number;
}

/** What other tabs read after a logout, to leave too. */
const LEFT = '{"left":true}';

/** The login, the same in all tabs of this browser. */
export class LoginStore {
  readonly #deps: LoginStoreDeps;
  readonly #listeners = new Set<() => void>();
  #current: Login | undefined;
  #state: LoginState;

  constructor(deps: LoginStoreDeps) {
    this.#deps = deps;
    this.#current = this.#stored();
    this.#state = this.#current ? stateOf(this.#current) : { status: 'out', userId: undefined, left: false };
  }

  /** The same object until something of it changes. */
  get state(): LoginState {
    return this.#state;
  }

  get current(): Login | undefined {
    return this.#current;
  }

  /** The token can only be exchanged for a new one. */
  get isExpired(): boolean {
    return this.#current !== undefined && this.#current.expiresAtMs <= this.#deps.nowMs();
  }

  keep(token: string): void {
    const login = { token, expiresAtMs: this.#deps.nowMs() + lifetimeMs(token) };
    this.#deps.write(JSON.stringify(login));
    this.#become(login, stateOf(login));
  }

  /**
   * The gateway has refused this token: the login is over, unless a newer one has taken its place since. Another tab may
   * have renewed it, and a page that the browser kept for the way back has not heard of that.
   */
  end(token: string): void {
    const stored = this.#stored();
    if (stored && stored.token !== token) {
      this.#become(stored, stateOf(stored));
    } else if (this.#current?.token === token) {
      this.#deps.write(null);
      this.#become(undefined, { ...this.#state, status: 'ended' });
    }
  }

  /** Logs out here and in the other tabs. */
  leave(): void {
    this.#deps.write(LEFT);
    this.#become(undefined, { status: 'out', userId: undefined, left: true });
  }

  /** Of a login that has ended there is nothing to come back to. */
  giveUp(): void {
    if (this.#state.status === 'ended') {
      this.#become(undefined, { status: 'out', userId: undefined, left: false });
    }
  }

  /** Takes over what another tab has done. */
  hear(): void {
    const stored = this.#stored();
    if (stored) this.#become(stored, stateOf(stored));
    else if (this.#deps.read() === LEFT)
      this.#become(undefined, { status: 'out', userId: undefined, left: true });
    else if (this.#state.status === 'in') this.#become(undefined, { ...this.#state, status: 'ended' });
  }

  /** Whether the user of a login that has ended is back, once that is known; false too when it is no longer asked. */
  isBack(signal?: AbortSignal): Promise<boolean> {
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

  #become(login: Login | undefined, state: LoginState): void {
    this.#current = login;
    const { status, userId, left } = this.#state;
    if (status === state.status && userId === state.userId && left === state.left) return;
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
  left: false,
});

function lifetimeMs(token: string): number {
  const { iat, exp } = payloadOf(token);
  return Number(exp) > Number(iat) ? (Number(exp) - Number(iat)) * 1_000 : USUAL_LIFETIME_MS;
}

function payloadOf(token: string): Record<string, unknown> {
  try {
    return JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}
