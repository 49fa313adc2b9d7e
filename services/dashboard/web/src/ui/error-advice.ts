import type { ErrorCode } from '../api/api-error';

/** Pages where an error can be resolved. */
export type AdvicePage = 'key' | 'keys' | 'billing' | 'limits' | 'models' | 'model' | 'again' | 'operator';

export interface Advice {
  /** What happened. */
  readonly meaning: string;
  /** What to do about it. */
  readonly todo: string;
  /** The most helpful first. */
  readonly pages: readonly AdvicePage[];
}

const advice = (meaning: string, todo: string, ...pages: AdvicePage[]): Advice => ({ meaning, todo, pages });

const ERROR_ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  invalid_api_key: advice(
    'The request had no valid API key: it was missing, mistyped, disabled, deleted or replaced.',
    'Send a key of this gateway as “Authorization: Bearer sk-gw-…”. If its value is lost, regenerate the key.',
    'key',
    'keys',
  ),
  expired_api_key: advice(
    'The key has expired, or an old value was used after a rotation.',
    'Extend the key’s expiry, or use its newest value.',
    'key',
  ),
  invalid_request: advice(
    'The gateway or the provider rejected the request: a wrong type, an unknown field, a value out of range, or a prompt that is too long.',
    'The error’s “detail” in the response names the problem. The same request will fail again.',
    'model',
  ),
  invalid_model: advice(
    'The value of “model” is not a model name.',
    'Use a slug of the catalog: provider, slash, model, as in “openai/gpt-5.5”.',
    'models',
  ),
  missing_parameter: advice(
    'A required field was missing or empty.',
    'The error’s “param” in the response names it.',
    'model',
  ),
  video_tier_not_found: advice(
    'The model has no such tier, or requires one.',
    'Use one of the tiers on the model’s page, spelled exactly.',
    'model',
  ),
  not_found: advice(
    'The path is wrong, or the resource, such as a video task, belongs to another account or is no longer kept.',
    'Check the path and the ID. Only GET and POST are supported.',
  ),
  model_not_found: advice(
    'The model is not listed, not allowed by the key, or a preview without opt-in.',
    'Look up the model. If it is listed, check the key’s allowed models.',
    'model',
    'key',
  ),
  image_model_not_found: advice(
    'The model doesn’t generate images, or is no longer offered.',
    'Choose an image model.',
    'models',
  ),
  video_model_not_found: advice(
    'The model doesn’t generate videos, doesn’t belong to the provider in the path, or is not available.',
    'Choose a video model, and use its provider in the path.',
    'models',
  ),
  insufficient_balance: advice(
    'The balance didn’t cover the maximum cost of the request.',
    'Top up, or lower the maximum output. Top-ups apply immediately.',
    'billing',
  ),
  key_daily_limit: advice(
    'The key has reached its limit for this UTC day.',
    'Raise the key’s daily limit, use another key, or wait until 00:00 UTC.',
    'key',
  ),
  key_monthly_limit: advice(
    'The key has reached its limit for this month.',
    'Raise the key’s monthly limit, use another key, or wait for the first of the next month, 00:00 UTC.',
    'key',
  ),
  account_daily_limit: advice(
    'All keys together have reached the account’s limit for this UTC day.',
    'Raise the account’s daily limit, or wait until 00:00 UTC.',
    'limits',
  ),
  request_cost_limit: advice(
    'The request could have cost more than the key’s limit per request.',
    'Lower the maximum output, or raise the key’s limit per request.',
    'key',
  ),
  rate_limited: advice(
    'There were too many concurrent requests, here or at the provider.',
    'Wait for the time in the Retry-After header, then send fewer concurrent requests.',
    'again',
  ),
  rpm_rate_limited: advice(
    'The key has reached its requests-per-minute limit.',
    'Spread out the requests, or raise the key’s requests-per-minute limit.',
    'key',
  ),
  tpm_rate_limited: advice(
    'The key has reached its tokens-per-minute limit.',
    'Send fewer or smaller requests, or raise the key’s tokens-per-minute limit.',
    'key',
  ),
  upstream_failed: advice(
    'The provider failed or closed the connection.',
    'Retry the request after one second, then two, then four.',
    'again',
  ),
  upstream_unavailable: advice(
    'The provider could not be reached.',
    'Wait two to five minutes, or use a model of another provider.',
    'models',
  ),
  image_generation_failed: advice(
    'The provider rejected the prompt or failed, or the model does not offer this size, number or format.',
    'Check the request against the model’s options; then change the prompt or retry, up to three times.',
    'model',
    'again',
  ),
  image_generation_timeout: advice(
    'The images took longer than the timeout. The provider may still be generating them.',
    'Don’t send a new request: it could be charged twice. The error’s “detail” says how to fetch the result.',
    'operator',
  ),
  video_generation_failed: advice(
    'The provider rejected the request, or the model doesn’t offer this duration, resolution or aspect ratio. Nothing was charged.',
    'Check the request against the model’s options, then retry, up to three times.',
    'model',
    'again',
  ),
  video_task_id_missing: advice(
    'The provider accepted the request without returning a task ID. Nothing was charged.',
    'Retry after a short wait, up to three times.',
    'again',
  ),
  internal_error: advice(
    'An internal error occurred. Requests without a response are not charged.',
    'Retry after one second, then two, then four. If it persists, send the request ID to the operator.',
    'again',
    'operator',
  ),
  video_billing_error: advice(
    'The cost of a completed video could not be calculated yet.',
    'Don’t create it again. Request its status and result again with the same task ID.',
    'again',
  ),
  invalid_credentials: advice(
    'Wrong email or password.',
    'Log in again, or ask an owner of the account for a new password.',
  ),
  email_taken: advice('An account with this email already exists.', 'Log in with it, or use another email.'),
  too_many_attempts: advice(
    'Too many attempts in a short time.',
    'Wait 15 minutes, then try again.',
    'again',
  ),
};

/** Requests without a valid key or login are not recorded; neither are the dashboard's own. */
const NEVER_LOGGED = new Set([
  'invalid_api_key',
  'expired_api_key',
  'invalid_credentials',
  'email_taken',
  'too_many_attempts',
]);

/** Codes that recorded requests can have. */
export const LOGGED_CODES: readonly string[] = Object.keys(ERROR_ADVICE).filter(
  (code) => !NEVER_LOGGED.has(code),
);

const UNKNOWN = advice(
  'The request failed.',
  'If it happens again, send the request ID to the operator.',
  'operator',
);

export const adviceOn = (code: string): Advice => (isKnown(code) ? ERROR_ADVICE[code] : UNKNOWN);

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(ERROR_ADVICE, code);
