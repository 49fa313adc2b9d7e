import {
  type AnyErrorCode,
  DASHBOARD_ERROR_TABLE,
  ERROR_TABLE,
  type ErrorRow,
  GatewayError,
  toEnvelope,
} from '@gateway/errors';
import type { JsonSchema } from './schema-book';

const ROWS: Readonly<Record<AnyErrorCode, ErrorRow>> = { ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE };
const CODES = Object.keys(ROWS) as AnyErrorCode[];
const LIMIT = { limitNano: 10_000_000_000n, usedNano: 10_000_000_000n };
const RESETS_AT_MS = Date.UTC(2027, 0, 1);

/** The envelope of every error. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message'],
      additionalProperties: false,
      properties: {
        type: { enum: [...new Set(CODES.map((code) => ROWS[code].type))] },
        code: { enum: CODES },
        message: { type: 'string', description: 'A fixed text for each code, for developers' },
        param: { type: 'string', description: 'The field that caused the error' },
        detail: { type: 'string', description: 'What is wrong; the text may change' },
        details: {
          type: 'object',
          required: ['error_code'],
          additionalProperties: false,
          properties: { error_code: { type: 'string' } },
          description: "Anthropic's own code, which some of its clients handle",
        },
        limit: { type: 'number', description: 'The spending limit, in USD' },
        used: { type: 'number', description: 'Amount already used, in USD' },
        resets_at: { type: 'string', format: 'date-time', description: 'When the spending limit resets' },
      },
    },
  },
};

/** An example of each code of the error tables, by code. */
export const ERROR_EXAMPLES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  CODES.map((code) => [code, { summary: ROWS[code].message, value: toEnvelope(exampleOf(code)) }]),
);

function exampleOf(code: AnyErrorCode): GatewayError {
  if (code === 'missing_parameter') return new GatewayError(code, { param: 'model' });
  if (code === 'request_cost_limit') return new GatewayError(code, { cap: LIMIT });
  if (ROWS[code].type !== 'usage_cap_exceeded') return new GatewayError(code);
  return new GatewayError(code, { cap: { ...LIMIT, resetsAtMs: RESETS_AT_MS } });
}

/** Returns the error responses of an operation, by status. */
export function errorResponses(codes: Iterable<AnyErrorCode>): Record<string, JsonSchema> {
  const byStatus = new Map<number, AnyErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ROWS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, those]) => [status, responseOf(status, those)]),
  );
}

function responseOf(status: number, codes: readonly AnyErrorCode[]): JsonSchema {
  const reference = (code: string) => ({ $ref: `#/components/examples/${code}` });
  const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
  const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: status === 429 ? { ...headers, ...retryAfter } : headers,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, reference(code)])),
      },
    },
  };
}
