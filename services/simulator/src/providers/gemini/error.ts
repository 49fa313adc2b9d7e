import { ProviderError } from '../provider-error';

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Request had invalid authentication credentials.',
  403: 'The caller does not have permission.',
  404: 'The model is not found for API version v1beta, or is not supported for this method.',
  429: 'You exceeded your current quota, please check your plan and billing details.',
  500: 'An internal error has occurred. Please retry.',
  503: 'The model is overloaded. Please try again later.',
  504: 'The request timed out. Please try again.',
};

const detail = (type: string, fields: object) => ({
  '@type': `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});

/** @param details in the format of google.rpc.Status */
export function geminiError(code: number, message: string, details: readonly object[] = []): ProviderError {
  const status = CODES[code] ?? (code >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION');
  const error = { code, message, status, ...(details.length > 0 && { details }) };
  return new ProviderError(code, message, () => ({ error }));
}

export function errorOfStatus(status: number, message?: string, retryAfterSeconds?: number): ProviderError {
  const usual = MESSAGES[status] ?? 'The request was refused by its directive.';
  const retry =
    retryAfterSeconds === undefined ? [] : [detail('RetryInfo', { retryDelay: `${retryAfterSeconds}s` })];
  return geminiError(status, message ?? usual, retry);
}

export const invalid = (message: string) => geminiError(400, message);

export interface Violation {
  readonly field: string;
  readonly description: string;
}

export function badRequest(violations: readonly Violation[]): ProviderError {
  const message = violations.map(({ description }) => description).join('\n');
  return geminiError(400, message, [detail('BadRequest', { fieldViolations: violations })]);
}

export function wrongKey(): ProviderError {
  const message = 'API key not valid. Please pass a valid API key.';
  return geminiError(400, message, [
    detail('ErrorInfo', {
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    }),
    detail('LocalizedMessage', { locale: 'en-US', message }),
  ]);
}

export const noKey = () =>
  geminiError(
    403,
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  );
