import { nanoFromDecimal } from '../domain/decimal';
import type { TokenPricing } from '../domain/model';
import { invalid } from '../domain/provider';
import { ceilDiv, MAX_NANO } from './amount';
import { mapRates } from './token-rates';

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
  const sell = (nano: bigint) => {
    const price = ceilDiv(nano * (HUNDRED_PERCENT + markup), HUNDRED_PERCENT);
    if (price > MAX_NANO) throw invalid('markup_percent: a price would exceed 1000000000 USD');
    return price;
  };
  const { serviceTiers, longContext, unitNano } = pricing;
  return {
    ...mapRates(pricing, sell),
    serviceTiers: Object.fromEntries(
      Object.entries(serviceTiers).map(([tier, rates]) => [tier, mapRates(rates, sell)]),
    ),
    longContext: longContext && { aboveTokens: longContext.aboveTokens, ...mapRates(longContext, sell) },
    unitNano: Object.fromEntries(Object.entries(unitNano).map(([unit, nano]) => [unit, sell(nano)])),
  };
}
