import { useSyncExternalStore } from 'react';

const STORAGE_KEY = 'gateway-login';
/** Of a token whose payload can't be read; as long as the gateway's tokens live. */
const USUAL_LIFETIME_MS = 15 * 60_000;

export interface LoginToken {
  readonly token: string;
  /** By this machine's clock, which may be wrong: only the token's own lifetime is taken from the gateway. */
  readonly expiresAtMs: number;
}

/**
 * The login, the same in all tabs of this browser. It is sent as a header by the client and by nothing else,
 * so other sites can't make calls with it, as they could with a cookie.
 */
class LoginTokenStore {
  #current: LoginToken | undefined;
  readonly #listeners = new Set<() => void>();

  constructor() {
    this.#current = readStored();
    window.addEventListener('storage', (event) => {
      if (event.key === STORAGE_KEY || event.key === null) this.#become(readStored());
    });
  }

  get current(): LoginToken | undefined {
    return this.#current;
  }

  keep(token: string): void {
    const login = { token, expiresAtMs: Date.now() + lifetimeMs(token) };
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(login));
    } catch {
      // Then this tab alone is logged in.
    }
    this.#become(login);
  }

  /** Unless it was renewed by another tab: a page that the browser kept for the way back has not heard of that. */
  forget(): void {
    const stored = readStored();
    if (stored && stored.token !== this.#current?.token) {
      this.#become(stored);
      return;
    }
    try {
      localStorage.removeItem(STORAGE_KEY);
    } catch {
      // Nothing was kept either.
    }
    this.#become(undefined);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #become(login: LoginToken | undefined): void {
    this.#current = login;
    for (const listener of this.#listeners) listener();
  }
}

export const loginToken = new LoginTokenStore();

export const useIsLoggedIn = (): boolean =>
  useSyncExternalStore(loginToken.subscribe, () => loginToken.current !== undefined);

function readStored(): LoginToken | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null');
    const isLogin = typeof stored?.token === 'string' && typeof stored.expiresAtMs === 'number';
    return isLogin && stored.expiresAtMs > Date.now() ? stored : undefined;
  } catch {
    return undefined;
  }
}

function lifetimeMs(token: string): number {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const { iat, exp } = JSON.parse(atob(payload));
    return exp > iat ? (exp - iat) * 1000 : USUAL_LIFETIME_MS;
  } catch {
    return USUAL_LIFETIME_MS;
  }
}
