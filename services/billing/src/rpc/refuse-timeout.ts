import { GatewayError } from '@gateway/errors';
import { isTimeout } from '../store/statement';

/** Converts a database timeout to its public error; other errors are unchanged. */
export const timeoutToInvalidRequest =
  (detail: string) =>
  (error: unknown): never => {
    if (!isTimeout(error)) throw error;
    throw new GatewayError('invalid_request', { detail, cause: error });
  };
