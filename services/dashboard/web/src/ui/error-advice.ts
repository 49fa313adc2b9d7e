/** Where an error is cured. */
export type Cure = 'key' | 'keys' | 'billing' | 'limits' | 'models' | 'model' | 'again' | 'operator';

export interface Advice {
  /** What happened. */
  readonly meaning: string;
  /** What to do about it. */
  readonly todo: string;
  /** The best first. */
  readonly cures: readonly Cure[];
}

const advice = (meaning: string, todo: string, ...cures: Cure[]): Advice => ({ meaning, todo, cures });

/** For every code of the gateway's contract; a test holds it against the table of codes. */
export const ERROR_ADVICE: Readonly<Record<string, Advice>> = {
  invalid_api_key: advice(
    'The call came without a key that the gateway knows: none, a mistyped one, or one that is disabled, deleted or replaced.',
    'Check that the program sends a key of this gateway as “Authorization: Bearer sk-gw-…”. If its value is lost, regenerate the key.',
    'key',
    'keys',
  ),
  expired_api_key: advice(
    'The key’s end has passed, or an old value was used after a rotation.',
    'Move the key’s expiry, or give the program the newer value.',
    'key',
  ),
  invalid_request: advice(
    'The gateway or the provider could not take the call as it was: a wrong type, an unknown field, a value out of range, too long a prompt.',
    'The error’s “detail”, in the answer that the program got, names what was wrong. The same call will fail again.',
    'model',
  ),
  invalid_model: advice(
    'What was sent as “model” is no model’s slug.',
    'Send the slug as the catalog has it: provider, slash, model, as in “openai/gpt-5.5”.',
    'models',
  ),
  missing_parameter: advice(
    'A field that the call needs was absent or empty.',
    'The error’s “param”, in the answer that the program got, names it.',
    'model',
  ),
  video_tier_not_found: advice(
    'The model has no such tier, or needs one to be named.',
    'Send one of the tiers on the model’s page, written just so.',
    'model',
  ),
  not_found: advice(
    'The path is wrong, or what it names, such as a video task, is not of your account or is no longer kept.',
    'Check the path and the id. Only GET and POST are used.',
  ),
  model_not_found: advice(
    'The model is not listed, no longer listed, not among those that the key allows, or a preview without opt-in.',
    'Look the model up. If it is listed, check the models that the key allows.',
    'model',
    'key',
  ),
  image_model_not_found: advice(
    'What was called does not make images, or is no longer offered.',
    'Choose a model that makes images.',
    'models',
  ),
  video_model_not_found: advice(
    'What was called does not make videos, is not of the provider in the path, or is not offered at present.',
    'Choose a model that makes videos, and put its provider into the path.',
    'models',
  ),
  insufficient_balance: advice(
    'The balance did not cover what the call could cost at most.',
    'Top up, or lower the call’s maximum output. The next call after a top-up passes.',
    'billing',
  ),
  key_daily_limit: advice(
    'The key has spent what it may on one UTC day.',
    'Raise the key’s daily limit, use another key, or wait until 00:00 UTC.',
    'key',
  ),
  key_monthly_limit: advice(
    'The key has spent what it may in one month.',
    'Raise the key’s monthly limit, use another key, or wait for the first of the next month, 00:00 UTC.',
    'key',
  ),
  account_daily_limit: advice(
    'All keys together have spent what the account may on one UTC day.',
    'Raise the account’s daily limit, or wait until 00:00 UTC.',
    'limits',
  ),
  request_cost_limit: advice(
    'The call could have cost, or has cost, more than the key allows for one.',
    'Lower the call’s maximum output, or raise the key’s limit for one request.',
    'key',
  ),
  rate_limited: advice(
    'There were too many calls at once, here or at the provider.',
    'Try again after the time in “Retry-After”, then less often.',
    'again',
  ),
  rpm_rate_limited: advice(
    'The key has made as many requests as it may in a minute.',
    'Spread the calls out, or raise the key’s requests per minute.',
    'key',
  ),
  tpm_rate_limited: advice(
    'The key has used as many tokens as it may in a minute.',
    'Send less at once, or raise the key’s tokens per minute.',
    'key',
  ),
  upstream_failed: advice(
    'The provider broke off, or failed.',
    'Send the whole call again, after a second, then two, then four.',
    'again',
  ),
  upstream_unavailable: advice(
    'The provider could not be reached at all.',
    'Wait two to five minutes, or call a model of another provider.',
    'models',
  ),
  image_generation_failed: advice(
    'The provider refused the prompt or failed, or the model does not offer this size, number or format.',
    'Check the call against what the model offers; if it fits, change the prompt or try again, up to three times.',
    'model',
    'again',
  ),
  image_generation_timeout: advice(
    'The images took longer than the gateway waits. The provider may still be making them.',
    'Do not repeat the call at once: it could be charged twice. Ask the operator whether it has ended.',
    'operator',
  ),
  video_generation_failed: advice(
    'The provider refused the order, or the model does not offer this duration, resolution or ratio. Nothing was charged.',
    'Check the order against what the model offers; if it fits, order again, up to three times.',
    'model',
    'again',
  ),
  video_task_id_missing: advice(
    'The provider took the order without saying how to ask for it. Nothing was charged.',
    'Order again after a short wait, up to three times.',
    'again',
  ),
  internal_error: advice(
    'Something within the gateway failed. Nothing that could not be answered is charged.',
    'Try again, after a second, then two, then four. If it stays, give the operator the request id.',
    'again',
    'operator',
  ),
  video_billing_error: advice(
    'The cost of a finished video could not be worked out yet.',
    'Do not order it again. Ask for its status and result once more, with the same task id.',
    'again',
  ),
  invalid_credentials: advice(
    'Email or password were wrong.',
    'Log in again; an owner of the account can add you anew.',
  ),
  email_taken: advice('The email has a login already.', 'Log in with it, or use another email.'),
  too_many_attempts: advice(
    'There were too many attempts in a short time.',
    'Wait a quarter of an hour, then try again.',
    'again',
  ),
};

/** Who has no good key or no login has no record; nor have the dashboard's own calls. */
const NEVER_LOGGED = new Set([
  'invalid_api_key',
  'expired_api_key',
  'invalid_credentials',
  'email_taken',
  'too_many_attempts',
]);

/** Those that calls in the log can have. */
export const LOGGED_CODES: readonly string[] = Object.keys(ERROR_ADVICE).filter(
  (code) => !NEVER_LOGGED.has(code),
);

const UNKNOWN = advice(
  'The call did not end well.',
  'If it happens again, give the operator the request id.',
  'operator',
);

export const adviceOn = (code: string): Advice => ERROR_ADVICE[code] ?? UNKNOWN;
