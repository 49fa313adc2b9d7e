import { GatewayError } from '@gateway/errors';

/** Which models there are is not known yet: a model that is not found may well be there. */
export const catalogNotReceived = (): GatewayError =>
  new GatewayError('internal_error', { cause: new Error('the catalog has not come yet') });
