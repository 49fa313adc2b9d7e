import { GatewayError } from '@gateway/errors';
import type { RateLimiter } from './rate-limiter';

/** Without Redis, keys with rate limits are refused. */
export const noRates: RateLimiter = {
  take: async (calls) =>
    calls.map(() => ({
      taken: false,
      error: new GatewayError('internal_error', {
        cause: new Error('key with rate limits, but no Redis'),
      }),
    })),
  rebuild: async () => {},
  release: async () => new Map(),
  correct: async () => {},
  report: async () => {},
};
