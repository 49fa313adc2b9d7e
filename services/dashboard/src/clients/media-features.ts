import type {
  ImageFeatures__Output,
  ImageFeatures as ImageFeaturesProto,
} from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type {
  VideoFeatures__Output,
  VideoFeatures as VideoFeaturesProto,
} from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';
import type { ImageFeatures, VideoFeatures } from '../domain/media-features';

export function fromProtoImageFeatures(image: ImageFeatures__Output): ImageFeatures {
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

export const fromProtoVideoFeatures = (video: VideoFeatures__Output): VideoFeatures => ({
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

export function toProtoImageFeatures(image: ImageFeatures): ImageFeaturesProto {
  const { size_rule: rule } = image;
  return {
    sizes: [...image.sizes],
    ...(rule && {
      sizeRule: {
        stepPx: rule.step_px,
        maxEdgePx: rule.max_edge_px,
        maxRatio: rule.max_ratio,
        minPixels: rule.min_pixels,
        maxPixels: rule.max_pixels,
      },
    }),
    defaultSize: image.default_size,
    qualities: [...image.qualities],
    defaultQuality: image.default_quality,
    formats: [...image.formats],
    maxN: image.max_n,
    maxInputImages: image.max_input_images,
    mask: image.mask,
    transparent: image.transparent,
    outputTokens: [...image.output_tokens],
    outputTokensByArea: image.output_tokens_by_area,
    textOutputTokens: image.text_output_tokens,
    maxPromptChars: image.max_prompt_chars,
  };
}

export const toProtoVideoFeatures = (video: VideoFeatures): VideoFeaturesProto => ({
  durations: [...video.durations],
  minDuration: video.min_duration,
  maxDuration: video.max_duration,
  defaultDuration: video.default_duration,
  aspectRatios: [...video.aspect_ratios],
  defaultAspectRatio: video.default_aspect_ratio,
  maxReferenceImages: video.max_reference_images,
  maxPromptChars: video.max_prompt_chars,
  tiers: Object.fromEntries(
    Object.entries(video.tiers).map(([tier, { resolution, durations }]) => [
      tier,
      { resolution, durations: [...durations] },
    ]),
  ),
});
