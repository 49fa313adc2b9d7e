import type { NamedModel } from '@gateway/models';
import { fromProtoPrices } from '@gateway/pricing';
import type { ImageFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { VideoFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';
import { strategyOf } from '@gateway/upstream';
import type { ImageFeatures, Model, VideoFeatures } from '../domain/model';

/** A model without features or prices can't be used. */
export function fromProtoModel(model: Model__Output): Model & NamedModel {
  const { image, video } = model;
  const prices = model.pricing ? fromProtoPrices(model.pricing) : {};
  return {
    slug: model.slug,
    aliases: model.aliases,
    active: model.status === 'MODEL_STATUS_ACTIVE',
    preview: model.preview,
    outputModalities: model.outputModalities,
    workflow: model.workflow,
    targets: model.targets.map(({ cost: _, ...target }) => target),
    strategy: strategyOf(model.strategy),
    priceVersion: BigInt(model.pricing?.version ?? 0),
    ...(image &&
      prices.image && {
        image: { features: fromProtoImage(image, model.maxImageTokens), pricing: prices.image },
      }),
    ...(video && prices.video && { video: { features: fromProtoVideo(video), pricing: prices.video } }),
    ...(prices.audio && {
      audio: {
        contextLength: model.contextLength,
        maxOutputTokens: model.maxOutputTokens,
        pricing: prices.audio,
      },
    }),
  };
}

function fromProtoImage(
  { sizeRule, ...image }: ImageFeatures__Output,
  maxInputImageTokens: number,
): ImageFeatures {
  return {
    ...image,
    ...(sizeRule && {
      sizeRule: {
        ...sizeRule,
        minPixels: Number(sizeRule.minPixels),
        maxPixels: Number(sizeRule.maxPixels),
      },
    }),
    maxInputImageTokens,
  };
}

function fromProtoVideo({ tiers, ...video }: VideoFeatures__Output): VideoFeatures {
  return { ...video, tiers: new Map(Object.entries(tiers)) };
}
