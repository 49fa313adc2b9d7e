import { ProviderError } from '../provider-error';

export const openAiError = (
  status: number,
  message: string,
  type = 'invalid_request_error',
  code: string | null = null,
  param: string | null = null,
) => new ProviderError(status, message, () => ({ error: { message, type, param, code } }));

export const noApiKey = () =>
  openAiError(
    401,
    "You didn't provide an API key. Send it in an Authorization header: Authorization: Bearer YOUR_KEY.",
  );

export const unknownPath = (method: string, path: string) =>
  openAiError(404, `Invalid URL (${method} ${path})`);

export const wrongMethod = (method: string, path: string) =>
  openAiError(405, `Not allowed to ${method} on ${path}.`);

export const contentPolicy = () =>
  openAiError(
    400,
    'Your request was rejected because it violates our usage policies.',
    'invalid_request_error',
    'content_policy_violation',
  );

export const moderationBlocked = () =>
  openAiError(
    400,
    'Your request was rejected by the safety system.',
    'image_generation_user_error',
    'moderation_blocked',
  );

/** Returns OpenAI's usual error for a status. */
export function errorOfStatus(status: number, message?: string): ProviderError {
  const make = (text: string, type: string, code: string | null = null) =>
    openAiError(status, message ?? text, type, code);
  if (status === 401) return make('Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key');
  if (status === 403) return make('You are not allowed to do this.', 'permission_error');
  if (status === 404) {
    return make(
      'The model does not exist or you do not have access to it.',
      'invalid_request_error',
      'model_not_found',
    );
  }
  if (status === 429) return make('Rate limit reached for requests.', 'requests', 'rate_limit_exceeded');
  if (status === 503)
    return make('The engine is currently overloaded, please try again later.', 'server_error');
  if (status >= 500) return make('The server had an error while processing your request.', 'server_error');
  return make('The request was refused by its directive.', 'invalid_request_error');
}

export function missing(param: string): ProviderError {
  return invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

export function wrongType(param: string, expected: string): ProviderError {
  return invalid(`Invalid type for '${param}': expected ${expected}.`, param, 'invalid_type');
}

export function invalid(
  message: string,
  param: string | null = null,
  code: string | null = null,
): ProviderError {
  return openAiError(400, message, 'invalid_request_error', code, param);
}
