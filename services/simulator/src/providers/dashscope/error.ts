import { ProviderError } from '../provider-error';
import { toUuid } from '../task-id';

/** An error body in DashScope's shape; codes after Model Studio's "Error messages". */
export class DashScopeError extends ProviderError {
  constructor(
    status: number,
    readonly code: string,
    message: string,
  ) {
    super(status, message);
  }

  toBody(id: string): unknown {
    return { code: this.code, message: this.message, request_id: toUuid(id) };
  }
}

const CODES: Readonly<Record<number, readonly [string, string]>> = {
  400: ['InvalidParameter', 'The request is not valid.'],
  401: ['InvalidApiKey', 'Invalid API-key provided.'],
  403: ['AccessDenied', 'Access denied.'],
  404: ['ModelNotFound', 'Model not exist.'],
  429: ['Throttling.RateQuota', 'Requests rate limit exceeded, please try again later.'],
  500: ['InternalError', 'An internal error has occurred, please try again later.'],
  503: ['ModelServingError', 'Too many requests. The model serving is overloaded.'],
};

export function errorOfStatus(status: number, message?: string): DashScopeError {
  const [code, usual] = CODES[status] ?? CODES[status >= 500 ? 500 : 400]!;
  return new DashScopeError(status, code, message ?? usual);
}

export const invalid = (message: string) => errorOfStatus(400, message);
export const notAsync = () => errorOfStatus(403, 'current user api does not support synchronous calls.');
