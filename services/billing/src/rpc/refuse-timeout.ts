import { GatewayError } from '@gateway/errors';
import { isTimeout } from '../store/statement';

/** For what the database did not get through in time; anything else stays what it is. */
export const refuseTimeout =
  (detail: string) =>
  (error: unknown): never => {
    if (!isTimeout(error)) throw error;
    throw new GatewayError('invalid_request', { detail, cause: error });
  };
