import type { Model } from '../../api/models';

/** Returns the default model: the cheapest that needs no opt-in, so that the bill is no surprise. */
export function defaultModel(models: readonly Model[]): Model | undefined {
  const ready = models.filter(({ preview }) => !preview);
  const from = ready.length > 0 ? ready : models;
  return from.reduce<Model | undefined>(
    (best, model) => (best && priceOf(best) <= priceOf(model) ? best : model),
    undefined,
  );
}

/** Returns the approximate cost of a thousand tokens, an image or a second; comparable among models of a type. */
function priceOf({ pricing }: Model): number {
  const { tokens, image, video } = pricing ?? {};
  const prices = [
    ...Object.values(video?.per_second ?? {}),
    ...(image?.per_image.map(({ price }) => price) ?? []),
    ...(image?.image_output === undefined ? [] : [image.image_output / 1_000]),
    ...(tokens?.output === undefined || image ? [] : [((tokens.input ?? 0) + tokens.output) / 1_000]),
  ];
  return prices.length > 0 ? Math.min(...prices) : Number.POSITIVE_INFINITY;
}
