import type { Model } from '../../api/models';

/** A model for a first try: one that anybody may call, and the cheapest answers. */
export function cheapestChatModel(models: readonly Model[]): Model | undefined {
  const priceOf = ({ pricing }: Model) => pricing?.tokens?.output ?? Number.POSITIVE_INFINITY;
  return models
    .filter(({ status, preview }) => status === 'active' && !preview)
    .toSorted((one, other) => priceOf(one) - priceOf(other))[0];
}
