import { GatewayError } from '@gateway/errors';
import { type CallNeeds, callPrice, hasRateFor, type TokenPrice } from '@gateway/pricing';

/**
 * Returns the price of one call, without the rates that it can't need.
 * @throws GatewayError `invalid_request` when it asks for hour-long cache writes and the model has no price for them
 */
export function priceForCall(price: TokenPrice, needs: CallNeeds): TokenPrice {
  if (needs.longCache && !hasRateFor(price, 'longCache'))
    throw new GatewayError('invalid_request', {
      detail: 'cache_control: this model does not support a ttl of 1h',
    });
  return callPrice(price, needs);
}
