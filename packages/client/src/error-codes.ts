/** The codes that the gateway answers with, by error type. They never change between releases. */
export const CODES_BY_TYPE = {
  authentication_error: ['invalid_api_key', 'expired_api_key'],
  invalid_request_error: ['invalid_request', 'invalid_model', 'missing_parameter', 'video_tier_not_found'],
  not_found_error: ['not_found', 'model_not_found', 'image_model_not_found', 'video_model_not_found'],
  billing_error: ['insufficient_balance'],
  usage_cap_exceeded: ['key_daily_limit', 'key_monthly_limit', 'account_daily_limit', 'request_cost_limit'],
  rate_limit_error: ['rate_limited', 'rpm_rate_limited', 'tpm_rate_limited'],
  upstream_error: [
    'upstream_failed',
    'upstream_unavailable',
    'image_generation_failed',
    'image_generation_timeout',
    'video_generation_failed',
    'video_task_id_missing',
  ],
  internal_error: ['internal_error', 'video_billing_error'],
} as const;

export type ErrorType = keyof typeof CODES_BY_TYPE;

/** A code of the gateway's error table. */
export type GatewayCode = (typeof CODES_BY_TYPE)[ErrorType][number];

/**
 * A failure that only the client sees. `connection_failed`: the request was not answered, or its reply broke off.
 * `unexpected_response`: the answer is not the gateway's, for example a proxy's page. `deadline_exceeded`: the call's time is over.
 * `video_task_failed`: the task ended without a video.
 */
export type ClientCode =
  | 'connection_failed'
  | 'unexpected_response'
  | 'deadline_exceeded'
  | 'video_task_failed';

export type ErrorCode = GatewayCode | ClientCode;
