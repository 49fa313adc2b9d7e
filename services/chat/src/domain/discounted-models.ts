import { ceilDiv, mapTokenPrice, type TokenPrice } from '@gateway/pricing';
import type { Model, ModelLookup, Pricing } from './model';

/** Returns the same models with lower prices: all of them, of tokens and other units, in every service tier. */
export function discountedModels(models: ModelLookup, percent: number): ModelLookup {
  if (percent === 0) return models;
  const discounted = new WeakMap<Model, Model>();
  return {
    get loaded() {
      return models.loaded;
    },
    get(name) {
      const model = models.get(name);
      if (!model?.pricing) return model;
      const known = discounted.get(model) ?? { ...model, pricing: discountedPricing(model.pricing, percent) };
      discounted.set(model, known);
      return known;
    },
  };
}

const discountedPricing = ({ version, base, serviceTiers }: Pricing, percent: number): Pricing => ({
  version,
  base: discountedPrice(base, percent),
  serviceTiers: new Map([...serviceTiers].map(([tier, price]) => [tier, discountedPrice(price, percent)])),
});

const discountedPrice = (price: TokenPrice, percent: number): TokenPrice =>
  mapTokenPrice(price, (nano) => ceilDiv(nano * BigInt(100 - percent), 100n));
