import { decimalFromNano } from '@gateway/money';
import { mapTokenRates, type TokenPricing, type TokenRates } from '@gateway/pricing';

/** A changed price: USD per million tokens, or a number of tokens, as decimal text; null: absent. */
export interface PriceChange {
  /** The field in the catalog's files, such as `tokens.long_context.input`. */
  readonly path: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns what differs between two prices, for review; every price of `next` if there is no current one. */
export function diffPricing(current: TokenPricing | undefined, next: TokenPricing): PriceChange[] {
  const before = current ? fieldsOf(current) : new Map<string, string>();
  const after = fieldsOf(next);
  const paths = new Set([...after.keys(), ...before.keys()]);
  return [...paths]
    .map((path) => ({ path, from: before.get(path) ?? null, to: after.get(path) ?? null }))
    .filter(({ from, to }) => from !== to);
}

function fieldsOf({ service_tiers, long_context, units = {}, ...base }: TokenPricing): Map<string, string> {
  const fields = new Map<string, string>();
  const add = (prefix: string, rates: TokenRates) => {
    for (const [rate, usd] of Object.entries(mapTokenRates(rates, decimalFromNano)))
      fields.set(`${prefix}.${rate}`, usd);
  };
  add('tokens', base);
  if (long_context) {
    fields.set('tokens.long_context.above_tokens', String(long_context.above_tokens));
    add('tokens.long_context', long_context);
  }
  for (const [tier, rates] of Object.entries(service_tiers)) add(`tokens.service_tiers.${tier}`, rates);
  for (const [unit, nano] of Object.entries(units)) fields.set(`tokens.units.${unit}`, decimalFromNano(nano));
  return fields;
}
