import { useSyncExternalStore } from 'react';
import { type LoginState, LoginStore } from './login-store';

const STORAGE_KEY = 'gateway-login';

/** Sent in a header and only by this client, so other sites can't make calls with it, as they could with a cookie. */
export const loginToken = new LoginStore({ read, write, nowMs: Date.now });

window.addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEY || key === null) loginToken.syncFromStorage();
});

export const useLogin = (): LoginState => useSyncExternalStore(loginToken.subscribe, () => loginToken.state);

function read(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function write(value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, value);
  } catch {
    // Storage is blocked: only this tab is logged in.
  }
}
