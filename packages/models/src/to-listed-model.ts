import { usdFromNano } from '@gateway/money';
import { fromProtoPrices, type ListedPricing, mapPrices } from '@gateway/pricing';
import type { ImageFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { ModelStatus__Output } from '@gateway/proto/generated/gateway/catalog/v1/ModelStatus';
import type { Pricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { VideoFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';
import type { ListedModel, ModelStatus } from './listed-model';
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
  const { video, ...prices } = mapPrices(fromProtoPrices(pricing), usdFromNano);
  return {
    currency: 'USD',
    version: Number(pricing.version),
    source: pricing.source,
    source_date: pricing.sourceDate,
    ...prices,
    ...(video && { video: { ...video, default_tier: video.default_tier ?? null } }),
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
