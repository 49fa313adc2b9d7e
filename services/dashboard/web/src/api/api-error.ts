import type { ErrorEnvelope } from '../../../src/api/fields';

export type { ErrorCode } from '../../../src/api/fields';

type ErrorBody = ErrorEnvelope['error'];

/** An error response of the API, with the fields of its envelope; the code `network` means that no response arrived. */
export class ApiError extends Error {
  readonly code: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly detail: string | undefined;
  readonly param: string | undefined;
  /** Identifies the call in the operator's logs. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly limitUsd: number | undefined;
  readonly usedUsd: number | undefined;
  readonly resetsAt: string | undefined;

  constructor(status: number, body: ErrorBody, requestId?: string, retryAfterSeconds?: number) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.detail = body.detail;
    this.param = body.param;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.limitUsd = body.limit;
    this.usedUsd = body.used;
    this.resetsAt = body.resets_at;
  }

  static async from(response: Response): Promise<ApiError> {
    const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const body = readEnvelope(await response.text().catch(() => '')) ?? {
      type: 'internal_error',
      code: 'internal_error',
      message: `The gateway answered with status ${response.status}.`,
    };
    return new ApiError(response.status, body, requestId, Number.isNaN(wait) ? undefined : wait);
  }

  /** An error that arrived within a stream. */
  static fromFrame(envelope: { error: ErrorBody }, requestId?: string): ApiError {
    return new ApiError(0, envelope.error, requestId);
  }

  static loginEnded(): ApiError {
    const message = 'Your session expired, so nothing was changed. Log in and try again.';
    return new ApiError(401, { type: 'authentication_error', code: 'login_ended', message });
  }

  static unreachable(): ApiError {
    const message = 'The gateway could not be reached. Check your connection and try again.';
    return new ApiError(0, { type: 'network', code: 'network', message });
  }
}

/** The gateway no longer accepts the login's token. */
export const endsLogin = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.code === 'invalid_api_key';

/**
 * True if the call may have been executed: no response arrived, or the server failed; a slow job may go on and be
 * charged.
 */
export const mayHaveSucceeded = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

function readEnvelope(text: string): ErrorBody | undefined {
  try {
    const { error } = JSON.parse(text);
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
