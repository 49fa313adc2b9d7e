import { ProviderError } from '../provider-error';

/** Kling's code is more specific than the status; both are listed in "General Information" of its API reference. */
const klingError = (status: number, code: number, message: string) =>
  new ProviderError(status, message, (id) => ({ code, message, request_id: id }));

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

export function errorOfStatus(status: number, message?: string): ProviderError {
  const [code, usual] = CODES[status] ?? (status >= 500 ? CODES[500]! : [1200, 'Invalid request']);
  return klingError(status, code, message ?? usual);
}

export const invalid = (message: string) => klingError(400, 1201, message);
export const contentPolicy = () =>
  klingError(400, 1301, 'Failure to pass the risk control system: the content is not allowed');
export const unauthorized = (code: 1001 | 1002 | 1003 | 1004, message: string) =>
  klingError(401, code, message);
