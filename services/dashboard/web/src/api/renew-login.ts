import { endsLogin } from './api-error';
import { exchange, readJson } from './exchange';
import { loginToken } from './login-token';

let underWay: Promise<void> | undefined;

/** A new token for this login's; one call for all who wait for it. */
export function renewLogin(): Promise<void> {
  underWay ??= renew().finally(() => {
    underWay = undefined;
  });
  return underWay;
}

async function renew(): Promise<void> {
  const old = loginToken.current?.token;
  if (!old) return;
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
