import { usdFromNano } from '@gateway/money';
import type { AudioPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/AudioPricing';
import type { ImageFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { ImagePricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImagePricing';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { ModelStatus__Output } from '@gateway/proto/generated/gateway/catalog/v1/ModelStatus';
import type { Pricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { TokenPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import type { VideoFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';
import type { ListedModel, ListedPricing, ModelStatus, TokenRates } from './listed-model';
import type { ImageFeatures, VideoFeatures } from './media-features';

const STATUS: Readonly<Record<ModelStatus__Output, ModelStatus>> = {
  MODEL_STATUS_ACTIVE: 'active',
  MODEL_STATUS_DISABLED: 'disabled',
  MODEL_STATUS_DELISTED: 'delisted',
  // A status unknown to this version must not count as active.
  MODEL_STATUS_UNSPECIFIED: 'disabled',
};

/** Returns a catalog entry as the HTTP APIs show it; amounts are USD. */
export function toListedModel(model: Model__Output): ListedModel {
  return {
    slug: model.slug,
    name: model.name,
    aliases: model.aliases,
    status: STATUS[model.status] ?? 'disabled',
    preview: model.preview,
    successor: model.successor || null,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    capabilities: model.capabilities,
    workflow: model.workflow,
    image: model.image && toImageFeatures(model.image),
    video: model.video && toVideoFeatures(model.video),
    pricing: model.pricing && toListedPricing(model.pricing),
    created_at: new Date(Number(model.createdAtMs)).toISOString(),
  };
}

function toListedPricing(pricing: Pricing__Output): ListedPricing {
  const { tokens, image, video, audio } = pricing;
  return {
    currency: 'USD',
    version: Number(pricing.version),
    source: pricing.source,
    source_date: pricing.sourceDate,
    ...(tokens && { tokens: toTokenPricing(tokens) }),
    ...(image && { image: toImagePricing(image) }),
    ...(video && {
      video: {
        tiers: video.tiers,
        default_tier: video.defaultTier || null,
        per_second: mapValues(video.perSecondNano, toUsd),
      },
    }),
    ...(audio && { audio: toAudioPricing(audio) }),
  };
}

/** Amounts are USD per million tokens. */
export function toTokenPricing(tokens: TokenPricing__Output): NonNullable<ListedPricing['tokens']> {
  const { longContext, longContextAboveTokens } = tokens;
  return {
    ...toRates(tokens),
    service_tiers: mapValues(tokens.serviceTiers, toRates),
    ...(longContext && { long_context: { above_tokens: longContextAboveTokens, ...toRates(longContext) } }),
    units: mapValues(tokens.unitNano, toUsd),
  };
}

function toImagePricing(image: ImagePricing__Output): NonNullable<ListedPricing['image']> {
  return {
    per_image: image.perImage.map(({ size, quality, priceNano }) => ({
      size,
      quality,
      price: toUsd(priceNano),
    })),
    ...(image.textInputNano !== undefined && { text_input: toUsd(image.textInputNano) }),
    ...(image.imageInputNano !== undefined && { image_input: toUsd(image.imageInputNano) }),
    ...(image.imageOutputNano !== undefined && { image_output: toUsd(image.imageOutputNano) }),
    ...(image.textOutputNano !== undefined && { text_output: toUsd(image.textOutputNano) }),
    ...(image.inputMegapixelNano !== undefined && { input_megapixel: toUsd(image.inputMegapixelNano) }),
  };
}

function toAudioPricing(audio: AudioPricing__Output): NonNullable<ListedPricing['audio']> {
  return {
    ...(audio.millionCharactersNano !== undefined && {
      million_characters: toUsd(audio.millionCharactersNano),
    }),
    ...(audio.hourNano !== undefined && { hour: toUsd(audio.hourNano) }),
    ...(audio.textInputNano !== undefined && { text_input: toUsd(audio.textInputNano) }),
    ...(audio.audioInputNano !== undefined && { audio_input: toUsd(audio.audioInputNano) }),
    ...(audio.textOutputNano !== undefined && { text_output: toUsd(audio.textOutputNano) }),
    ...(audio.audioOutputNano !== undefined && { audio_output: toUsd(audio.audioOutputNano) }),
  };
}

function toRates(tokens: TokenPricing__Output): TokenRates {
  return {
    ...(tokens.inputNano !== undefined && { input: toUsd(tokens.inputNano) }),
    ...(tokens.outputNano !== undefined && { output: toUsd(tokens.outputNano) }),
    ...(tokens.cacheReadNano !== undefined && { cache_read: toUsd(tokens.cacheReadNano) }),
    ...(tokens.cacheWriteNano !== undefined && { cache_write: toUsd(tokens.cacheWriteNano) }),
    ...(tokens.cacheWriteLongNano !== undefined && { cache_write_1h: toUsd(tokens.cacheWriteLongNano) }),
    ...(tokens.audioInputNano !== undefined && { audio_input: toUsd(tokens.audioInputNano) }),
    ...(tokens.audioCacheReadNano !== undefined && { audio_cache_read: toUsd(tokens.audioCacheReadNano) }),
    ...(tokens.audioOutputNano !== undefined && { audio_output: toUsd(tokens.audioOutputNano) }),
  };
}

function toImageFeatures(image: ImageFeatures__Output): ImageFeatures {
  const { sizeRule: rule } = image;
  return {
    sizes: image.sizes,
    size_rule: rule && {
      step_px: rule.stepPx,
      max_edge_px: rule.maxEdgePx,
      max_ratio: rule.maxRatio,
      min_pixels: Number(rule.minPixels),
      max_pixels: Number(rule.maxPixels),
    },
    default_size: image.defaultSize,
    qualities: image.qualities,
    default_quality: image.defaultQuality,
    formats: image.formats,
    max_n: image.maxN,
    max_input_images: image.maxInputImages,
    mask: image.mask,
    transparent: image.transparent,
    output_tokens: image.outputTokens,
    output_tokens_by_area: image.outputTokensByArea,
    text_output_tokens: image.textOutputTokens,
    max_prompt_chars: image.maxPromptChars,
  };
}

const toVideoFeatures = (video: VideoFeatures__Output): VideoFeatures => ({
  durations: video.durations,
  min_duration: video.minDuration,
  max_duration: video.maxDuration,
  default_duration: video.defaultDuration,
  aspect_ratios: video.aspectRatios,
  default_aspect_ratio: video.defaultAspectRatio,
  max_reference_images: video.maxReferenceImages,
  max_prompt_chars: video.maxPromptChars,
  tiers: video.tiers,
});

const toUsd = (nano: string): number => usdFromNano(BigInt(nano));

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
