import { GatewayError } from '@gateway/errors';

/** Used instead of `model_not_found` until the catalog has been received. */
export const catalogNotReceived = (): GatewayError =>
  new GatewayError('internal_error', { cause: new Error('the catalog has not been received yet') });
