import { mapPrices, mapTokenPricing } from '@gateway/pricing';
import type { ImageFeatures, ModelEntry, VideoFeatures } from '../domain/model';
import type { SeedImage, SeedVideo } from './feature-schema';
import type { SeedModel } from './seed-schema';

export function fromSeedModel(seed: SeedModel): ModelEntry {
  const { source, source_date } = seed.pricing;
  return {
    slug: seed.slug,
    aliases: seed.aliases,
    name: seed.name,
    status: seed.status,
    preview: seed.preview,
    successor: seed.successor,
    inputModalities: seed.input_modalities,
    outputModalities: seed.output_modalities,
    contextLength: seed.context_length,
    maxOutputTokens: seed.max_output_tokens,
    outputFloorTokens: seed.output_floor_tokens,
    maxImageTokens: seed.max_image_tokens,
    capabilities: seed.capabilities,
    workflow: seed.workflow,
    targets: seed.targets.map((target) => ({
      provider: target.provider,
      upstreamModel: target.upstream_model,
      weight: target.weight,
      priority: target.priority,
      connectTimeoutMs: target.connect_timeout_ms,
      firstByteTimeoutMs: target.first_byte_timeout_ms,
      idleTimeoutMs: target.idle_timeout_ms,
      cost: target.cost && mapTokenPricing(target.cost, same),
    })),
    strategy: seed.strategy,
    fallbackModels: seed.fallback_models,
    pricing: { ...mapPrices(seed.pricing, same), source, source_date },
    image: seed.image && fromSeedImage(seed.image),
    video: seed.video && fromSeedVideo(seed.video),
  };
}

/** The schema has read the amounts. */
const same = (nano: bigint): bigint => nano;

function fromSeedImage(image: SeedImage): ImageFeatures {
  const { size_rule: rule } = image;
  return {
    sizes: image.sizes,
    sizeRule: rule && {
      stepPx: rule.step_px,
      maxEdgePx: rule.max_edge_px,
      maxRatio: rule.max_ratio,
      minPixels: rule.min_pixels,
      maxPixels: rule.max_pixels,
    },
    defaultSize: image.default_size,
    qualities: image.qualities,
    defaultQuality: image.default_quality,
    formats: image.formats,
    maxN: image.max_n,
    maxInputImages: image.max_input_images,
    mask: image.mask,
    transparent: image.transparent,
    outputTokens: image.output_tokens,
    outputTokensByArea: image.output_tokens_by_area,
    textOutputTokens: image.text_output_tokens,
    maxPromptChars: image.max_prompt_chars,
  };
}

const fromSeedVideo = (video: SeedVideo): VideoFeatures => ({
  durations: video.durations,
  minDuration: video.min_duration,
  maxDuration: video.max_duration,
  defaultDuration: video.default_duration,
  aspectRatios: video.aspect_ratios,
  defaultAspectRatio: video.default_aspect_ratio,
  maxReferenceImages: video.max_reference_images,
  maxPromptChars: video.max_prompt_chars,
  tiers: video.tiers,
});
