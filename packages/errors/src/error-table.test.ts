import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DASHBOARD_ERROR_TABLE } from './dashboard-error-table';
import { toEnvelope } from './envelope';
import { ERROR_TABLE, type ErrorRow } from './error-table';
import { GatewayError } from './gateway-error';

const page = readFileSync(path.join(__dirname, '../../../docs/errors.md'), 'utf8');
const codes = Object.keys(ERROR_TABLE) as (keyof typeof ERROR_TABLE)[];

/** Returns the rows of the table in docs/errors.md. */
function pageRows(): string[] {
  return page.split('\n').filter((line) => /^\| `[a-z_]+` \| [a-z_]+ \| \d{3} \|/.test(line));
}

function toPageRow(code: string, row: ErrorRow): string {
  const param = { none: '–', field: 'the field' }[row.param as string] ?? `\`${row.param}\``;
  return `| \`${code}\` | ${row.type} | ${row.status} | ${row.message} | ${param} |`;
}

test('the public error table has 26 codes', () => {
  expect(codes).toHaveLength(26);
});

test('docs/errors.md lists exactly the error table of the code', () => {
  const tables = { ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE };
  expect(pageRows()).toEqual(Object.entries(tables).map(([code, row]) => toPageRow(code, row)));
});

test('errors that only time, money, another key or the operator resolves are not retried automatically', () => {
  expect(codes.filter((code) => new GatewayError(code).shouldRetry === false)).toEqual([
    'invalid_api_key',
    'expired_api_key',
    'key_daily_limit',
    'key_monthly_limit',
    'account_daily_limit',
    'request_cost_limit',
    'upstream_unavailable',
    'image_generation_timeout',
    'video_billing_error',
  ]);
});

describe.each(codes)('%s', (code) => {
  const options = {
    param: 'messages[0].role',
    detail: 'why',
    formatCode: 'thread_unsupported_request',
    cap: { limitNano: 2n ** 60n + 1n, usedNano: 5n, resetsAtMs: 1_800_000_000_000 },
    retryAfterSeconds: 7,
    cause: new Error('not for the caller'),
  };
  const error = new GatewayError(code, options);

  test('has an envelope with one top-level key and without its cause', () => {
    const { type, message } = ERROR_TABLE[code];
    const envelope = toEnvelope(error);
    expect(Object.keys(envelope)).toEqual(['error']);
    const details = { error_code: options.formatCode };
    expect(envelope.error).toMatchObject({ type, code, message, details });
    expect(JSON.stringify(envelope)).not.toContain('not for the caller');
  });
});

test('converts a code that only a newer peer knows to internal_error', () => {
  expect(GatewayError.fromCode('from_the_future').code).toBe('internal_error');
});

test('converts a thrown value other than a GatewayError to internal_error', () => {
  expect(GatewayError.from(new TypeError('x is not a function')).code).toBe('internal_error');
  expect(GatewayError.from('text')).toMatchObject({
    code: 'internal_error',
    message: 'Internal server error.',
  });
});
