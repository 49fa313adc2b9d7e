import { toProtoPrices, toProtoTokenPricing } from '@gateway/pricing';
import type { ImageFeatures as ImageFeaturesProto } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { Model as ModelProto } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { VideoFeatures as VideoFeaturesProto } from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';
import type { WatchResponse } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import type { CatalogUpdate } from '../domain/catalog';
import type { ImageFeatures, Model, VideoFeatures } from '../domain/model';

const STATUS = {
  active: 'MODEL_STATUS_ACTIVE',
  disabled: 'MODEL_STATUS_DISABLED',
  delisted: 'MODEL_STATUS_DELISTED',
} as const;

export function toProtoUpdate(update: CatalogUpdate): WatchResponse {
  return {
    revision: update.revision.toString(),
    snapshot: update.snapshot,
    models: update.models.map(toProtoModel),
  };
}

export function toProtoModel(model: Model): ModelProto {
  const { pricing } = model;
  return {
    slug: model.slug,
    aliases: [...model.aliases],
    name: model.name,
    status: STATUS[model.status],
    preview: model.preview,
    successor: model.successor ?? '',
    inputModalities: [...model.inputModalities],
    outputModalities: [...model.outputModalities],
    contextLength: model.contextLength,
    maxOutputTokens: model.maxOutputTokens,
    outputFloorTokens: model.outputFloorTokens,
    maxImageTokens: model.maxImageTokens,
    capabilities: [...model.capabilities],
    workflow: [...model.workflow],
    targets: model.targets.map(({ cost, ...target }) => ({
      ...target,
      ...(cost && { cost: toProtoTokenPricing(cost) }),
    })),
    strategy: model.strategy,
    fallbackModels: [...model.fallbackModels],
    pricing: {
      version: model.priceVersion.toString(),
      source: pricing.source,
      sourceDate: pricing.source_date,
      ...toProtoPrices(pricing),
    },
    createdAtMs: String(model.createdAtMs),
    ...(model.image && { image: toProtoImageFeatures(model.image) }),
    ...(model.video && { video: toProtoVideoFeatures(model.video) }),
  };
}

function toProtoImageFeatures({ sizeRule, ...image }: ImageFeatures): ImageFeaturesProto {
  return {
    ...image,
    sizes: [...image.sizes],
    qualities: [...image.qualities],
    formats: [...image.formats],
    outputTokens: [...image.outputTokens],
    ...(sizeRule && { sizeRule }),
  };
}

const toProtoVideoFeatures = (video: VideoFeatures): VideoFeaturesProto => ({
  ...video,
  durations: [...video.durations],
  aspectRatios: [...video.aspectRatios],
  tiers: Object.fromEntries(
    Object.entries(video.tiers).map(([tier, { resolution, durations }]) => [
      tier,
      { resolution, durations: [...durations] },
    ]),
  ),
});
