import { nanoFromUsd } from '@gateway/money';
import { mapTokenPricing, type PricesInput, type TokenPricingInput } from '@gateway/pricing';
import type { CatalogModel } from './listed-model';

/** A model as an operator describes it, without status and prices. */
export interface ModelFields extends Omit<CatalogModel, 'status' | 'pricing' | 'created_at' | 'targets'> {
  readonly targets: readonly TargetDraft[];
}

/** A cost is in nano-USD. */
export interface TargetDraft extends Omit<CatalogModel['targets'][number], 'cost'> {
  readonly cost?: TokenPricingInput<bigint> | null | undefined;
}

/** Prices in nano-USD, in the API's structure. */
export interface PricesDraft extends PricesInput<bigint> {
  readonly source: string;
  readonly source_date: string;
}

/** Returns the fields of a model as an operator would write them. */
export const toModelFields = ({ targets, ...model }: CatalogModel): ModelFields => ({
  ...model,
  targets: targets.map(({ cost, ...target }) => ({
    ...target,
    // Defined: catalog's prices are exact.
    cost: cost && mapTokenPricing(cost, (usd) => nanoFromUsd(usd)!),
  })),
});
