import { GatewayError, type RateFigures } from '@gateway/errors';
import type { CallToAdmit } from '../../reserve/rules/admission';
import type { RateLimits } from './rate-limits';

/** `Retry-After`; without one if `seconds` is negative, because waiting does not help; clients then should not retry. */
const retry = (seconds: number) => (seconds < 0 ? { shouldRetry: false } : { retryAfterSeconds: seconds });

export const overRequests = ({ rpm }: RateLimits, seconds: number, rates: RateFigures) =>
  new GatewayError('rpm_rate_limited', {
    detail: `the key may send ${rpm} requests per minute`,
    rates,
    ...retry(seconds),
  });

export const overTokens = (call: CallToAdmit, { tpm }: RateLimits, seconds: number, rates: RateFigures) =>
  new GatewayError('tpm_rate_limited', {
    detail: `the key may use ${tpm} tokens per minute; the prompt of this call has about ${call.promptTokens}`,
    rates,
    ...retry(seconds),
  });
