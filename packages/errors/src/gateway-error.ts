import { DASHBOARD_ERROR_TABLE, type DashboardErrorCode } from './dashboard-error-table';
import { ERROR_TABLE, type ErrorCode, type ErrorRow } from './error-table';
import type { RateFigures } from './rate-figures';

/** Every code that can cross a border: the public contract's, and the dashboard's own. */
export type AnyErrorCode = ErrorCode | DashboardErrorCode;

const ROWS: Readonly<Record<AnyErrorCode, ErrorRow>> = { ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE };

const isAnyErrorCode = (code: string): code is AnyErrorCode => Object.hasOwn(ROWS, code);

/** Extras of a cap error: nano-USD, and the window's end in milliseconds since the epoch. */
export interface CapExtras {
  readonly limitNano: bigint;
  readonly usedNano: bigint;
  /** Absent for the per-request cap, which has no window. */
  readonly resetsAtMs?: number;
}

export interface GatewayErrorOptions {
  /** The request field at fault, e.g. `messages[0].role`. Shown only where the table says so. */
  readonly param?: string;
  /** What was wrong, for the caller's developer. Not stable; never holds secrets. */
  readonly detail?: string;
  /** A code of the caller's own format, beside ours: some of its clients know what to do about it. */
  readonly formatCode?: string;
  readonly cap?: CapExtras;
  readonly retryAfterSeconds?: number;
  /** What the call's key has left, where that is known. */
  readonly rates?: RateFigures;
  /** To which the call's output was lowered. */
  readonly maxTokens?: number;
  /** Overrides the table. */
  readonly shouldRetry?: boolean;
  /** For the log only. */
  readonly cause?: unknown;
}

/** The one error that crosses module and service borders: a code of the tables, and what its row asks for. */
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

  /** The same with the figures of the call's key. A copy: an error may be the answer to several calls. */
  withRates(rates: RateFigures): GatewayError {
    if (!rates.requests && !rates.tokens) return this;
    return new GatewayError(this.code, { ...this.#options, rates });
  }

  /** The same, of a call whose output was lowered to so much, if it was. */
  withMaxTokens(maxTokens: number | undefined): GatewayError {
    return maxTokens === undefined ? this : new GatewayError(this.code, { ...this.#options, maxTokens });
  }

  /** The only doorway from an unknown thrown value: what is not ours is `internal_error`. */
  static from(thrown: unknown): GatewayError {
    return thrown instanceof GatewayError ? thrown : new GatewayError('internal_error', { cause: thrown });
  }

  /** From a code that a peer sent; one that this version does not know is `internal_error`. */
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

/** Refused for tokens of a minute of which enough come free again. */
export const isShortOfTokens = ({ code, shouldRetry }: GatewayError): boolean =>
  code === 'tpm_rate_limited' && shouldRetry !== false;
