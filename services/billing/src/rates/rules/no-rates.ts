import { GatewayError } from '@gateway/errors';
import type { RateLimiter } from './rate-limiter';

/** Where there is no place for rates, a key that has a limit is not served. */
export const noRates: RateLimiter = {
  take: async (calls) =>
    calls.map(() => ({
      taken: false,
      error: new GatewayError('internal_error', { cause: new Error('a limited key, but no REDIS_URL') }),
    })),
  rebuild: async () => {},
  giveBack: async () => new Map(),
  correct: async () => {},
  report: async () => {},
};
