import type { ImageFeatures, VideoFeatures } from '@gateway/models';
import type { ImageFeatures as ImageFeaturesProto } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { VideoFeatures as VideoFeaturesProto } from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';

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
