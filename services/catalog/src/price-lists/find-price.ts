import type { PricedModel, PriceList } from './price-list';

/** The models of a price list by provider and upstream model. */
export type PriceIndex = ReadonlyMap<string, PricedModel>;

/** Returns an index for `findPrice`. `readPriceList` has removed duplicates; otherwise the first entry counts. */
export function indexPrices(entries: PriceList['entries']): PriceIndex {
  // A later pair replaces an earlier one.
  return new Map(entries.toReversed().map((entry) => [priceKey(entry), entry]));
}

/**
 * Returns the entry of exactly this provider and model. Undefined without a provider, even if a single provider lists the model:
 * providers sell models of the same name at different prices.
 * @param provider the list's provider id
 */
export function findPrice(
  index: PriceIndex,
  { provider, upstreamModel }: { readonly provider?: string | undefined; readonly upstreamModel: string },
): PricedModel | undefined {
  return provider === undefined ? undefined : index.get(priceKey({ provider, upstreamModel }));
}

/** Unambiguous, because a list's names contain no control characters. */
export const priceKey = (model: { readonly provider: string; readonly upstreamModel: string }): string =>
  `${model.provider}\n${model.upstreamModel}`;
