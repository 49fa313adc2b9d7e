import { useEffect } from 'react';
import { loginToken } from '../api/login-token';
import { renewLogin } from '../api/renew-login';

const CHECK_INTERVAL_MS = 20_000;
/** Tokens live for 15 minutes: time for several attempts. */
const RENEW_BEFORE_END_MS = 6 * 60_000;

/** Refreshes the login while a page is open, and after the machine has slept. */
export function useLoginRenewal(): void {
  useEffect(() => {
    const check = () => {
      const { current } = loginToken;
      if (!current || current.expiresAtMs - Date.now() > RENEW_BEFORE_END_MS) return;
      // An ended login is recorded in the store; other failures are retried at the next check.
      renewLogin().catch(() => {});
    };
    const onVisible = () => document.visibilityState === 'visible' && check();
    const timer = setInterval(check, CHECK_INTERVAL_MS);
    document.addEventListener('visibilitychange', onVisible);
    check();
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
}
