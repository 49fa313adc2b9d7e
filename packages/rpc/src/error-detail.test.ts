import {
  DASHBOARD_ERROR_TABLE,
  ERROR_TABLE,
  errorHeaders,
  GatewayError,
  type GatewayErrorOptions,
} from '@gateway/errors';
import { expect, test } from '@jest/globals';
import { decodeErrorDetail, encodeErrorDetail } from './error-detail';

const codes = Object.keys({ ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE });

test.each(codes)('%s keeps every detail except its cause when it crosses a service boundary', (code) => {
  const options: GatewayErrorOptions = {
    param: 'messages',
    detail: 'the detail',
    formatCode: 'format_code',
    cap: { limitNano: 1n, usedNano: 2n, resetsAtMs: 3 },
    retryAfterSeconds: 7,
    cause: new Error('not for the caller'),
  };
  const error = GatewayError.fromCode(code, options);
  const received = decodeErrorDetail(encodeErrorDetail(error));
  const { cause: _cause, ...kept } = options;
  expect(received).toMatchObject({ code, ...kept, param: error.param, shouldRetry: error.shouldRetry });
  expect(received.cause).toBeUndefined();
});

const sent = (options: GatewayErrorOptions) =>
  decodeErrorDetail(encodeErrorDetail(new GatewayError('tpm_rate_limited', options)));

const requests = { limit: 10n, remaining: 0n, resetSeconds: 61 };
const tokens = { limit: 2n ** 60n, remaining: 2n ** 60n - 1n, resetSeconds: 0 };

test.each([
  { rates: { requests, tokens } },
  { rates: { requests } },
  { rates: { tokens } },
  { detail: 'no figures' },
])('an error with %p has the same details after decoding', (options) => {
  const { rates, detail } = sent(options);
  expect({ rates, detail }).toEqual({ rates: undefined, detail: undefined, ...options });
});

test('an error without rate limits has no rate limit headers', () => {
  expect(errorHeaders(sent({ retryAfterSeconds: 7 }))).toEqual({ 'retry-after': '7' });
  expect(errorHeaders(sent({ rates: {} }))).toEqual({});
});

test('an error reports the remaining rate limits of the key and when to retry', () => {
  expect(errorHeaders(sent({ rates: { requests, tokens }, retryAfterSeconds: 7 }))).toEqual({
    'retry-after': '7',
    'x-ratelimit-limit-requests': '10',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '61s',
    'x-ratelimit-limit-tokens': '1152921504606846976',
    'x-ratelimit-remaining-tokens': '1152921504606846975',
    'x-ratelimit-reset-tokens': '0s',
  });
});

test('an error reports the max_tokens to which the call was lowered', () => {
  const error = new GatewayError('upstream_failed');
  const lowered = decodeErrorDetail(encodeErrorDetail(error.withMaxTokens(5)));
  expect(errorHeaders(lowered)).toEqual({ 'x-gateway-max-tokens': '5' });
  expect(error.withMaxTokens(undefined)).toBe(error);
});

test('withRates returns a copy that is otherwise identical', () => {
  const options = {
    param: 'model',
    detail: 'd',
    formatCode: 'f',
    cap: { limitNano: 1n, usedNano: 2n },
    retryAfterSeconds: 3,
    shouldRetry: false,
    cause: new Error('c'),
  };
  const error = new GatewayError('missing_parameter', options);
  const copy = error.withRates({ requests });
  expect(error.rates).toBeUndefined();
  expect(copy).toMatchObject({ ...options, code: error.code, row: error.row, rates: { requests } });
  expect(error.withRates({})).toBe(error);
});
