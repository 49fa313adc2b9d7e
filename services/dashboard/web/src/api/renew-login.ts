import { endsLogin } from './api-error';
import { exchange, readJson } from './exchange';
import { loginToken } from './login-token';

const LOCK = 'gateway-login-renewal';

let underWay: Promise<void> | undefined;

/** Refreshes the token of this login; all who wait for it share one call. */
export function renewLogin(): Promise<void> {
  underWay ??= oneTabAtATime(renew).finally(() => {
    underWay = undefined;
  });
  return underWay;
}

/**
 * Refreshing a token twice ends the login, so tabs take turns and use what another tab has got meanwhile. Without a
 * secure context browsers have no locks; then two tabs that refresh in the same moment end the login.
 */
function oneTabAtATime(work: (seen: string | undefined) => Promise<void>): Promise<void> {
  const seen = loginToken.current?.token;
  return navigator.locks ? navigator.locks.request(LOCK, () => work(seen)) : work(seen);
}

/** @param seen the token when the renewal was asked for */
async function renew(seen: string | undefined): Promise<void> {
  loginToken.hear();
  const old = loginToken.current?.token;
  if (!old || old !== seen) return;
  try {
    const answer = await exchange({ method: 'POST', path: 'auth/refresh', token: old });
    const { token } = await readJson<{ token: string }>(answer);
    // Logged out, or in as someone else, in the meantime.
    if (loginToken.current?.token === old) loginToken.keep(token);
  } catch (error) {
    if (endsLogin(error)) loginToken.end(old);
    throw error;
  }
}
