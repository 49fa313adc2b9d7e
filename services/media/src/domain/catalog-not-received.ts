import { GatewayError } from '@gateway/errors';

/** The catalog has not been received yet: a model that is not found may well exist. */
export const catalogNotReceived = (): GatewayError =>
  new GatewayError('internal_error', { cause: new Error('the catalog has not been received yet') });
