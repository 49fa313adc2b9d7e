import { useEffect } from 'react';
import { renewLogin } from '../api/auth';
import { loginToken } from '../api/login-token';

const CHECK_INTERVAL_MS = 20_000;
/** Tokens live for 15 minutes: there is time for several tries. */
const RENEW_BEFORE_END_MS = 6 * 60_000;

/** Renews the login while a page is open, also after a machine slept, if it did not sleep too long. */
export function useLoginRenewal(): void {
  useEffect(() => {
    let underWay = false;
    const check = async () => {
      const { current } = loginToken;
      if (!current || underWay) return;
      const leftMs = current.expiresAtMs - Date.now();
      if (leftMs > RENEW_BEFORE_END_MS) return;
      if (leftMs <= 0) {
        loginToken.forget();
        return;
      }
      underWay = true;
      // A login that is over is forgotten by the client; anything else may pass until the next check.
      await renewLogin().catch(() => {});
      underWay = false;
    };
    const onVisible = () => document.visibilityState === 'visible' && void check();
    const timer = setInterval(check, CHECK_INTERVAL_MS);
    document.addEventListener('visibilitychange', onVisible);
    void check();
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
}
