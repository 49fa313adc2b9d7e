import { DASHBOARD_ERROR_TABLE, type DashboardErrorCode } from './dashboard-error-table';
import { ERROR_TABLE, type ErrorCode, type ErrorRow } from './error-table';
import type { RateFigures } from './rate-figures';

/** Every code that can cross a service boundary: those of the public contract and of the dashboard. */
export type AnyErrorCode = ErrorCode | DashboardErrorCode;

const ROWS: Readonly<Record<AnyErrorCode, ErrorRow>> = { ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE };

const isAnyErrorCode = (code: string): code is AnyErrorCode => Object.hasOwn(ROWS, code);

/** Details of a spending cap error: nano-USD, and the window's end in milliseconds since the epoch. */
export interface CapExtras {
  readonly limitNano: bigint;
  readonly usedNano: bigint;
  /** Absent for the per-request cap, which has no window. */
  readonly resetsAtMs?: number;
}

export interface GatewayErrorOptions {
  /** The invalid request field, e.g. `messages[0].role`. Shown only if the table's row says so. */
  readonly param?: string;
  /** Explanation for the client's developer. Not stable; never contains secrets. */
  readonly detail?: string;
  /** An additional error code of the request's format (for example Anthropic's), which clients of that format handle. */
  readonly formatCode?: string;
  readonly cap?: CapExtras;
  readonly retryAfterSeconds?: number;
  /** Remaining rate limits of the key, if known. */
  readonly rates?: RateFigures;
  /** The `max_tokens` to which the call was lowered. */
  readonly maxTokens?: number;
  /** Overrides the table's row. */
  readonly shouldRetry?: boolean;
  /** The detail follows in the message that the client gets. */
  readonly hasDetailedMessage?: boolean;
  /** For the log only. */
  readonly cause?: unknown;
}

/** The error class that crosses module and service boundaries: a code of the tables and the details its row uses. */
export class GatewayError extends Error {
  readonly code: AnyErrorCode;
  readonly row: ErrorRow;
  readonly param: string | undefined;
  readonly detail: string | undefined;
  readonly formatCode: string | undefined;
  readonly cap: CapExtras | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rates: RateFigures | undefined;
  readonly maxTokens: number | undefined;
  readonly shouldRetry: boolean | undefined;
  readonly #options: GatewayErrorOptions;

  constructor(code: AnyErrorCode, options: GatewayErrorOptions = {}) {
    const row = ROWS[code];
    super(row.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.row = row;
    this.param = paramOf(row, options.param);
    this.detail = options.detail;
    this.formatCode = options.formatCode;
    this.cap = options.cap;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.rates = options.rates;
    this.maxTokens = options.maxTokens;
    this.shouldRetry = options.shouldRetry ?? row.shouldRetry;
    this.#options = options;
  }

  /** Returns a copy with the key's rate limits; a copy, because several calls may share one error. */
  withRates(rates: RateFigures): GatewayError {
    if (!rates.requests && !rates.tokens) return this;
    return new GatewayError(this.code, { ...this.#options, rates });
  }

  /** Returns a copy with the `max_tokens` to which the call was lowered, if it was. */
  withMaxTokens(maxTokens: number | undefined): GatewayError {
    return maxTokens === undefined ? this : new GatewayError(this.code, { ...this.#options, maxTokens });
  }

  /** Returns a copy whose detail follows in the message, for clients that show nothing else, if it is wanted and there is one. */
  withDetailedMessage(isWanted: boolean | undefined): GatewayError {
    if (!isWanted || !this.detail) return this;
    return new GatewayError(this.code, { ...this.#options, hasDetailedMessage: true });
  }

  /** The message for the client: the table's, with the detail if that is wanted. */
  get publicMessage(): string {
    return this.#options.hasDetailedMessage ? `${this.row.message} ${this.detail}` : this.row.message;
  }

  /** Converts any thrown value: anything but a GatewayError becomes `internal_error`. */
  static from(thrown: unknown): GatewayError {
    return thrown instanceof GatewayError ? thrown : new GatewayError('internal_error', { cause: thrown });
  }

  /** Creates the error for a code that a peer sent; a code unknown to this version becomes `internal_error`. */
  static fromCode(code: string, options: GatewayErrorOptions = {}): GatewayError {
    return isAnyErrorCode(code)
      ? new GatewayError(code, options)
      : new GatewayError('internal_error', { cause: new Error(`unknown error code ${code}`) });
  }
}

function paramOf(row: ErrorRow, given: string | undefined): string | undefined {
  if (row.param === 'none') return undefined;
  return row.param === 'field' ? given : row.param;
}

/** Whether the error is a TPM refusal after which enough tokens will become available. */
export const isRetryableTpmLimit = ({ code, shouldRetry }: GatewayError): boolean =>
  code === 'tpm_rate_limited' && shouldRetry !== false;
