import type { ErrorRow } from './error-table';

/** Codes of the dashboard's API that ERROR_TABLE lacks, in the same families and just as stable. */
export const DASHBOARD_ERROR_TABLE = {
  invalid_credentials: {
    type: 'authentication_error',
    status: 401,
    message: 'Email or password is incorrect.',
    param: 'none',
  },
  email_taken: {
    type: 'invalid_request_error',
    status: 400,
    message: 'An account with this email already exists.',
    param: 'email',
  },
  too_many_attempts: {
    type: 'rate_limit_error',
    status: 429,
    message: 'Too many attempts. Try again later.',
    param: 'none',
    shouldRetry: false,
  },
} as const satisfies Record<string, ErrorRow>;

export type DashboardErrorCode = keyof typeof DASHBOARD_ERROR_TABLE;
