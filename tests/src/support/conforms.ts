import { type AnyErrorCode, type ErrorRow, GatewayError } from '@gateway/errors';
import { expect } from '@jest/globals';
import type { HttpAnswer } from './http';

/** Expectations beyond the code's row of the error table. */
export interface Particulars {
  /** The invalid field of the request, if the row does not determine it. */
  readonly param?: string;
  readonly detail?: RegExp;
  /** `must`: whole seconds, at least one. Default: `must` for rate limits, otherwise `never`. */
  readonly retryAfter?: 'must' | 'never' | number;
  /** Default: from the table. */
  readonly shouldRetry?: 'false' | 'none';
  /** The error code of the client's format, where its clients use that. */
  readonly formatCode?: string;
  /** For errors of caps: amounts in USD, and whether the window's end is given. */
  readonly cap?: { readonly limit?: number; readonly used?: number; readonly resetsAt?: Date };
}

const RATE_CODES = new Set<AnyErrorCode>([
  'rate_limited',
  'rpm_rate_limited',
  'tpm_rate_limited',
  'too_many_attempts',
]);
const WINDOW_CODES = new Set<AnyErrorCode>(['key_daily_limit', 'key_monthly_limit', 'account_daily_limit']);
const LEAKS =
  /node_modules|\/src\/|\.js:\d|\bat .+:\d+:\d+|ECONN|ENOTFOUND|EPROTO|\b[A-Z][a-z]*Error:|\bError:|sk-gw-|postgres|grpc/;

/** Checks that the response matches the code's row, including every key and header of the contract. */
export function expectConforms(answer: HttpAnswer, code: AnyErrorCode, particulars: Particulars = {}): void {
  const { row } = new GatewayError(code);
  expect([answer.status, answer.json?.error?.code]).toEqual([row.status, code]);
  expect(Object.keys(answer.json)).toEqual(['error']);
  const { detail, limit, used, resets_at, ...fixed } = answer.json.error;
  const param = row.param === 'field' ? particulars.param : row.param === 'none' ? undefined : row.param;
  const { formatCode } = particulars;
  expect(fixed).toEqual({
    type: row.type,
    code,
    message: row.message,
    ...(param && { param }),
    ...(formatCode && { details: { error_code: formatCode } }),
  });
  if (particulars.detail) expect(detail).toMatch(particulars.detail);
  expect(typeof detail).toMatch(/^(string|undefined)$/);
  expectCap(code, { limit, used, resets_at }, particulars.cap);
  expectHeaders(answer, code, row, particulars);
  expect(answer.text).not.toMatch(LEAKS);
}

function expectCap(
  code: AnyErrorCode,
  extras: { limit: unknown; used: unknown; resets_at: unknown },
  expected: Particulars['cap'] = {},
): void {
  const windowed = WINDOW_CODES.has(code);
  if (!windowed && code !== 'request_cost_limit') {
    expect(extras).toEqual({ limit: undefined, used: undefined, resets_at: undefined });
    return;
  }
  expect([typeof extras.limit, typeof extras.used]).toEqual(['number', 'number']);
  expect(typeof extras.resets_at).toBe(windowed ? 'string' : 'undefined');
  if (expected.limit !== undefined) expect(extras.limit).toBe(expected.limit);
  if (expected.used !== undefined) expect(extras.used).toBe(expected.used);
  if (expected.resetsAt) expect(extras.resets_at).toBe(expected.resetsAt.toISOString());
}

function expectHeaders(
  { headers }: HttpAnswer,
  code: AnyErrorCode,
  row: ErrorRow,
  particulars: Particulars,
): void {
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(headers['x-request-id']).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(headers['request-id']).toBe(headers['x-request-id']);

  const shouldRetry = particulars.shouldRetry ?? (row.shouldRetry === false ? 'false' : 'none');
  expect(headers['x-should-retry'] ?? 'none').toBe(shouldRetry);

  const retryAfter = particulars.retryAfter ?? (RATE_CODES.has(code) ? 'must' : 'never');
  if (retryAfter === 'never') expect(headers).not.toHaveProperty('retry-after');
  else if (retryAfter === 'must') expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  else expect(headers['retry-after']).toBe(String(retryAfter));
}
