import type { AudioPricing as AudioPricingProto } from '@gateway/proto/generated/gateway/catalog/v1/AudioPricing';
import type { ImageFeatures as ImageFeaturesProto } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { ImagePricing as ImagePricingProto } from '@gateway/proto/generated/gateway/catalog/v1/ImagePricing';
import type { Model as ModelProto } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { TokenPricing as TokenPricingProto } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import type { VideoFeatures as VideoFeaturesProto } from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';
import type { VideoPricing as VideoPricingProto } from '@gateway/proto/generated/gateway/catalog/v1/VideoPricing';
import type { WatchResponse } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import type { CatalogUpdate } from '../domain/catalog';
import type {
  AudioPricing,
  ImageFeatures,
  ImagePricing,
  Model,
  TokenPricing,
  TokenRates,
  VideoFeatures,
  VideoPricing,
} from '../domain/model';

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
      sourceDate: pricing.sourceDate,
      ...(pricing.tokens && { tokens: toProtoTokenPricing(pricing.tokens) }),
      ...(pricing.image && { image: toProtoImagePricing(pricing.image) }),
      ...(pricing.video && { video: toProtoVideoPricing(pricing.video) }),
      ...(pricing.audio && { audio: toProtoAudioPricing(pricing.audio) }),
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

export function toProtoTokenPricing(pricing: TokenPricing): TokenPricingProto {
  const { longContext } = pricing;
  return {
    ...toProtoRates(pricing),
    serviceTiers: Object.fromEntries(
      Object.entries(pricing.serviceTiers).map(([tier, rates]) => [tier, toProtoRates(rates)]),
    ),
    ...(longContext && {
      longContextAboveTokens: longContext.aboveTokens,
      longContext: toProtoRates(longContext),
    }),
    unitNano: Object.fromEntries(
      Object.entries(pricing.unitNano).map(([unit, nano]) => [unit, nano.toString()]),
    ),
  };
}

function toProtoRates(rates: TokenRates): TokenPricingProto {
  return {
    ...amount('inputNano', rates.inputNano),
    ...amount('outputNano', rates.outputNano),
    ...amount('cacheReadNano', rates.cacheReadNano),
    ...amount('cacheWriteNano', rates.cacheWriteNano),
    ...amount('cacheWriteLongNano', rates.cacheWriteLongNano),
    ...amount('audioInputNano', rates.audioInputNano),
    ...amount('audioCacheReadNano', rates.audioCacheReadNano),
    ...amount('audioOutputNano', rates.audioOutputNano),
  };
}

function toProtoImagePricing(pricing: ImagePricing): ImagePricingProto {
  return {
    perImage: pricing.perImage.map((price) => ({ ...price, priceNano: price.priceNano.toString() })),
    ...amount('textInputNano', pricing.textInputNano),
    ...amount('imageInputNano', pricing.imageInputNano),
    ...amount('imageOutputNano', pricing.imageOutputNano),
    ...amount('textOutputNano', pricing.textOutputNano),
    ...amount('inputMegapixelNano', pricing.inputMegapixelNano),
  };
}

const toProtoAudioPricing = (pricing: AudioPricing): AudioPricingProto => ({
  ...amount('millionCharactersNano', pricing.millionCharactersNano),
  ...amount('hourNano', pricing.hourNano),
  ...amount('textInputNano', pricing.textInputNano),
  ...amount('audioInputNano', pricing.audioInputNano),
  ...amount('textOutputNano', pricing.textOutputNano),
  ...amount('audioOutputNano', pricing.audioOutputNano),
});

function toProtoVideoPricing(pricing: VideoPricing): VideoPricingProto {
  return {
    tiers: [...pricing.tiers],
    defaultTier: pricing.defaultTier ?? '',
    perSecondNano: Object.fromEntries(
      Object.entries(pricing.perSecondNano).map(([tier, nano]) => [tier, nano.toString()]),
    ),
  };
}

/** A field that is omitted if there is no amount. */
function amount<K extends string>(field: K, nano: bigint | undefined): { [P in K]?: string } {
  return (nano === undefined ? {} : { [field]: nano.toString() }) as { [P in K]?: string };
}
