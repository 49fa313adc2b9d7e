import type { Token } from '../../../src/api/auth';
import { endsLogin } from './api-error';
import { exchange, readJson } from './exchange';
import { loginToken } from './login-token';

const LOCK = 'gateway-login-renewal';

let renewal: Promise<void> | undefined;

/** Refreshes the token of this login; concurrent calls share one request. */
export function renewLogin(): Promise<void> {
  renewal ??= oneTabAtATime(renew).finally(() => {
    renewal = undefined;
  });
  return renewal;
}

/**
 * Refreshing a token twice ends the login, so tabs take turns and use the token that another tab has got meanwhile.
 * Browsers have no locks outside secure contexts; there, two tabs that refresh at the same moment end the login.
 */
function oneTabAtATime(work: (seen: string | undefined) => Promise<void>): Promise<void> {
  const seen = loginToken.current?.token;
  return navigator.locks ? navigator.locks.request(LOCK, () => work(seen)) : work(seen);
}

/** @param seen the token when the refresh was requested */
async function renew(seen: string | undefined): Promise<void> {
  loginToken.syncFromStorage();
  const old = loginToken.current?.token;
  if (!old || old !== seen) return;
  try {
    const answer = await exchange({ method: 'POST', path: 'auth/refresh', token: old });
    const { token } = await readJson<Token>(answer);
    // The user may have logged out, or another user in, meanwhile.
    if (loginToken.current?.token === old) loginToken.store(token);
  } catch (error) {
    if (endsLogin(error)) loginToken.end(old);
    throw error;
  }
}
