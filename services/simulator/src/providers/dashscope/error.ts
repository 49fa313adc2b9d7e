import { ProviderError } from '../provider-error';
import { toUuid } from '../task-id';

const CODES: Readonly<Record<number, readonly [string, string]>> = {
  400: ['InvalidParameter', 'The request is not valid.'],
  401: ['InvalidApiKey', 'Invalid API-key provided.'],
  403: ['AccessDenied', 'Access denied.'],
  404: ['ModelNotFound', 'Model not exist.'],
  429: ['Throttling.RateQuota', 'Requests rate limit exceeded, please try again later.'],
  500: ['InternalError', 'An internal error has occurred, please try again later.'],
  503: ['ModelServingError', 'Too many requests. The model serving is overloaded.'],
};

/** Returns an error with the code that Model Studio's "Error messages" lists for the status. */
export function errorOfStatus(status: number, message?: string): ProviderError {
  const [code, usual] = CODES[status] ?? CODES[status >= 500 ? 500 : 400]!;
  const text = message ?? usual;
  return new ProviderError(status, text, (id) => ({ code, message: text, request_id: toUuid(id) }));
}

export const invalid = (message: string) => errorOfStatus(400, message);
export const notAsync = () => errorOfStatus(403, 'current user api does not support synchronous calls.');
