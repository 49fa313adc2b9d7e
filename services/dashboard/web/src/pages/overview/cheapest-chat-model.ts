import type { Model } from '../../api/models';

/** Returns the cheapest model for a first request, without preview models. */
export function cheapestChatModel(models: readonly Model[]): Model | undefined {
  const priceOf = ({ pricing }: Model) => pricing?.tokens?.output ?? Number.POSITIVE_INFINITY;
  return models
    .filter(({ status, preview }) => status === 'active' && !preview)
    .toSorted((one, other) => priceOf(one) - priceOf(other))[0];
}
