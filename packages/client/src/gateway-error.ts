import type { ErrorCode, ErrorType } from './error-codes.ts';

/** What is known of a failure. Undefined: the gateway did not say so. */
export interface ErrorFields {
  readonly status?: number | undefined;
  readonly type?: string | undefined;
  readonly param?: string | undefined;
  readonly detail?: string | undefined;
  readonly limit?: number | undefined;
  readonly used?: number | undefined;
  readonly resetsAt?: Date | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly shouldRetry?: boolean | undefined;
  readonly requestId?: string | undefined;
  readonly isUnsent?: boolean | undefined;
  readonly task?: { readonly task_id: string; readonly model: string } | undefined;
  readonly cause?: unknown;
}

/** The only error that calls throw, apart from the reason of the caller's own AbortSignal. Branch on `code`. */
export class GatewayError<Code extends string = ErrorCode | (string & {})> extends Error {
  override readonly name = 'GatewayError';
  /** A code of the gateway's table or of the client. A newer gateway may have more codes. */
  readonly code: Code;
  /** HTTP status; undefined if the failure was not an HTTP response, as in the middle of a stream. */
  readonly status: number | undefined;
  readonly type: ErrorType | (string & {}) | undefined;
  /** The request field that caused the error. */
  readonly param: string | undefined;
  /** Explanation for developers, also part of `message`. Not stable. */
  readonly detail: string | undefined;
  /** USD: the spending cap, and what is used of it. */
  readonly limit: number | undefined;
  readonly used: number | undefined;
  /** End of the spending cap's window. */
  readonly resetsAt: Date | undefined;
  /** From `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** From `x-should-retry`. */
  readonly shouldRetry: boolean | undefined;
  /** Identifies the request when it is reported to the gateway's operator. */
  readonly requestId: string | undefined;
  /** Whether the request cannot have reached the gateway. */
  readonly isUnsent: boolean;
  /** How often the request was sent. Set by the call. */
  attempts = 1;
  /** The key with which the same request can be repeated without being charged twice. Set by the call. */
  idempotencyKey: string | undefined = undefined;
  /** The video task that was waited for; `videos.wait` can continue with it. */
  task: { readonly task_id: string; readonly model: string } | undefined;

  constructor(code: Code, message: string, fields: ErrorFields = {}) {
    const { detail, cause } = fields;
    super(withDetail(message, detail), cause === undefined ? {} : { cause });
    this.code = code;
    this.status = fields.status;
    this.type = fields.type;
    this.param = fields.param;
    this.detail = detail;
    this.limit = fields.limit;
    this.used = fields.used;
    this.resetsAt = fields.resetsAt;
    this.retryAfterMs = fields.retryAfterMs;
    this.shouldRetry = fields.shouldRetry;
    this.requestId = fields.requestId;
    this.isUnsent = fields.isUnsent ?? false;
    this.task = fields.task;
  }
}

/** A key may have messages that contain the detail already. */
const withDetail = (message: string, detail: string | undefined): string =>
  detail === undefined || message.includes(detail) ? message : `${message} ${detail}`;

/**
 * Whether a thrown value is a GatewayError, with one of the codes if there are any. By name, because a program may have loaded both
 * builds of this package.
 */
export function isGatewayError<Code extends ErrorCode = ErrorCode>(
  thrown: unknown,
  ...codes: readonly Code[]
): thrown is GatewayError<Code> {
  if (!(thrown instanceof Error) || thrown.name !== 'GatewayError') return false;
  return codes.length === 0 || codes.includes((thrown as GatewayError).code as Code);
}

/** Returns the error that an envelope `{error: {…}}` describes, or undefined if the value is no envelope. */
export function errorOfEnvelope(value: unknown, fields: ErrorFields = {}): GatewayError | undefined {
  const error = memberOf(value, 'error');
  const code = textOf(error, 'code');
  if (code === undefined) return undefined;
  return new GatewayError(code, textOf(error, 'message') ?? code, {
    ...fields,
    type: textOf(error, 'type'),
    param: textOf(error, 'param'),
    detail: textOf(error, 'detail'),
    limit: numberOf(error, 'limit'),
    used: numberOf(error, 'used'),
    resetsAt: dateOf(textOf(error, 'resets_at')),
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}

function numberOf(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name);
  return typeof member === 'number' ? member : undefined;
}

function dateOf(text: string | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
