import { ProviderError } from '../provider-error';

/**
 * An error body in Kling's shape: the code says more than the status. Codes and statuses are those of "General
 * Information" in its API reference.
 */
export class KlingError extends ProviderError {
  constructor(
    status: number,
    readonly code: number,
    message: string,
  ) {
    super(status, message);
  }

  toBody(id: string): unknown {
    return { code: this.code, message: this.message, request_id: id };
  }
}

const CODES: Readonly<Record<number, readonly [number, string]>> = {
  200: [1102, 'Account balance not enough'],
  401: [1000, 'Authentication failed'],
  403: [1103, 'No permission to access the requested resource'],
  404: [1203, 'The requested resource does not exist'],
  429: [1302, 'API request too fast, exceeding the rate limit'],
  500: [5000, 'Server internal error'],
  503: [5001, 'Server temporarily unavailable'],
  504: [5002, 'Server internal timeout'],
};

export function errorOfStatus(status: number, message?: string): KlingError {
  const [code, usual] = CODES[status] ?? (status >= 500 ? CODES[500]! : [1200, 'Invalid request']);
  return new KlingError(status, code, message ?? usual);
}

export const invalid = (message: string) => new KlingError(400, 1201, message);
export const contentPolicy = () =>
  new KlingError(400, 1301, 'Failure to pass the risk control system: the content is not allowed');
export const unauthorized = (code: 1001 | 1002 | 1003 | 1004, message: string) =>
  new KlingError(401, code, message);
