import { ProviderError } from '../provider-error';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'invalid x-api-key',
  403: 'Your API key does not have permission to use the specified resource.',
  404: 'The requested resource could not be found.',
  429: "This request would exceed your organization's rate limit.",
  500: 'Internal server error',
  504: 'Request timed out',
  529: 'Overloaded',
};

export function anthropicError(status: number, message: string): ProviderError {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  const error = { type, message };
  return new ProviderError(status, message, (id) => ({ type: 'error', error, request_id: requestId(id) }));
}

export const requestId = (id: string) => `req_${id}`;

export function errorOfStatus(status: number, message?: string): ProviderError {
  const usual = MESSAGES[status] ?? 'The request was refused by its directive.';
  return anthropicError(status, message ?? usual);
}

export const contentPolicy = () => invalid('Output blocked by content filtering policy');

export const invalid = (message: string) => anthropicError(400, message);
