import { ceilDiv, mapTokenPricing, type TokenPricing } from '@gateway/pricing';
import { nanoFromDecimal } from '../domain/decimal';
import { invalid } from '../domain/provider';
import { MAX_NANO } from './amount';

const BILLIONTHS = 1_000_000_000n;
const HUNDRED_PERCENT = 100n * BILLIONTHS;
/** A larger markup is a typing error. */
const MAX_MARKUP = 10_000n * BILLIONTHS;

/**
 * Returns selling prices: each cost times 1 + markup/100, rounded up to a whole nano-USD per million tokens.
 * @param markupPercent a decimal from 0 to 10000 with at most 9 decimals, such as `12.5`
 * @throws GatewayError `invalid_request` for another markup, or a price that the catalog can't represent
 */
export function withMarkup(pricing: TokenPricing, markupPercent: string): TokenPricing {
  // Decimals of percent and of USD have the same form: nine digits after the point.
  const markup = nanoFromDecimal(markupPercent);
  if (markup === undefined || markup > MAX_MARKUP) {
    throw invalid('markup_percent: must be a decimal from 0 to 10000 with at most 9 decimals');
  }
  return mapTokenPricing(pricing, (nano) => {
    const price = ceilDiv(nano * (HUNDRED_PERCENT + markup), HUNDRED_PERCENT);
    if (price > MAX_NANO) throw invalid('markup_percent: a price would exceed 1000000000 USD');
    return price;
  });
}
