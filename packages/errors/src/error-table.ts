/** The error families of the public contract with the HTTP status that each usually has. */
export type ErrorType =
  | 'authentication_error'
  | 'invalid_request_error'
  | 'not_found_error'
  | 'billing_error'
  | 'usage_cap_exceeded'
  | 'rate_limit_error'
  | 'upstream_error'
  | 'internal_error';

/**
 * The value of `error.param`: `none`: absent. `field`: the invalid request field, if there is one. Any other value: that
 * constant.
 */
export type ParamRule = 'none' | 'field' | 'model' | 'tier' | 'email';

/** A row of the public error contract. Codes never change between releases. */
export interface ErrorRow {
  readonly type: ErrorType;
  readonly status: number;
  readonly message: string;
  readonly param: ParamRule;
  /**
   * `false`: clients should not retry automatically; sent as `x-should-retry: false`, which the official SDKs obey.
   * `undefined`: the status decides.
   */
  readonly shouldRetry?: false;
}

const row = (
  type: ErrorType,
  status: number,
  message: string,
  param: ParamRule = 'none',
  shouldRetry?: false,
): ErrorRow =>
  shouldRetry === undefined
    ? { type, status, message, param }
    : { type, status, message, param, shouldRetry };

export const ERROR_TABLE = {
  // Without `x-should-retry: false`, Claude Code treats a 401 as an expired login and retries for minutes.
  invalid_api_key: row('authentication_error', 401, 'Invalid API key provided.', 'none', false),
  expired_api_key: row('authentication_error', 401, 'API key has expired.', 'none', false),
  invalid_request: row('invalid_request_error', 400, 'Invalid request body.'),
  invalid_model: row('invalid_request_error', 400, 'The model does not exist.', 'model'),
  missing_parameter: row('invalid_request_error', 400, 'A required parameter is missing.', 'field'),
  video_tier_not_found: row(
    'invalid_request_error',
    400,
    'Requested pricing tier not found for this model.',
    'tier',
  ),
  not_found: row('not_found_error', 404, 'Resource not found.'),
  model_not_found: row('not_found_error', 404, 'Model not found.'),
  image_model_not_found: row('not_found_error', 404, 'Image model not found.', 'model'),
  video_model_not_found: row('not_found_error', 404, 'Video model not found.', 'model'),
  insufficient_balance: row(
    'billing_error',
    402,
    'Your balance is insufficient. Please top up your account.',
  ),
  key_daily_limit: row(
    'usage_cap_exceeded',
    429,
    'API Key has exceeded its daily spending limit.',
    'none',
    false,
  ),
  key_monthly_limit: row(
    'usage_cap_exceeded',
    429,
    'API Key has exceeded its monthly spending limit.',
    'none',
    false,
  ),
  account_daily_limit: row(
    'usage_cap_exceeded',
    402,
    'Account has exceeded its daily spending limit.',
    'none',
    false,
  ),
  request_cost_limit: row(
    'usage_cap_exceeded',
    402,
    'Single request cost exceeds the configured limit.',
    'none',
    false,
  ),
  rate_limited: row('rate_limit_error', 429, 'Rate limit exceeded.'),
  rpm_rate_limited: row('rate_limit_error', 429, 'Rate limit exceeded: requests per minute.'),
  tpm_rate_limited: row('rate_limit_error', 429, 'Rate limit exceeded: tokens per minute.'),
  upstream_failed: row('upstream_error', 502, 'Upstream request failed.'),
  upstream_unavailable: row('upstream_error', 502, 'Upstream API is unavailable.', 'none', false),
  image_generation_failed: row('upstream_error', 502, 'Image generation failed.'),
  image_generation_timeout: row('upstream_error', 504, 'Image generation timed out.', 'none', false),
  video_generation_failed: row('upstream_error', 502, 'Video generation failed.'),
  video_task_id_missing: row('upstream_error', 502, 'Upstream returned success but task ID is missing.'),
  internal_error: row('internal_error', 500, 'Internal server error.'),
  video_billing_error: row('internal_error', 500, 'Failed to calculate video cost.', 'none', false),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_TABLE;

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_TABLE, code);
