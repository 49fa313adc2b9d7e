import { decimalFromNano } from '@gateway/money';
import { mapPrices, mapTokenPricing, mapValues, type Pricing } from '@gateway/pricing';
import type { ImageFeatures, ModelEntry, VideoFeatures } from '../domain/model';
import type { SeedInput } from './seed-schema';

/** Returns the entry in the form of the seed's files. */
export function toSeedModel(entry: ModelEntry): SeedInput {
  return {
    slug: entry.slug,
    aliases: [...entry.aliases],
    name: entry.name,
    status: entry.status,
    preview: entry.preview,
    ...(entry.successor !== undefined && { successor: entry.successor }),
    input_modalities: [...entry.inputModalities] as SeedInput['input_modalities'],
    output_modalities: [...entry.outputModalities] as SeedInput['output_modalities'],
    context_length: entry.contextLength,
    max_output_tokens: entry.maxOutputTokens,
    output_floor_tokens: entry.outputFloorTokens,
    max_image_tokens: entry.maxImageTokens,
    capabilities: [...entry.capabilities],
    workflow: [...entry.workflow] as NonNullable<SeedInput['workflow']>,
    targets: entry.targets.map((target) => ({
      provider: target.provider,
      upstream_model: target.upstreamModel,
      weight: target.weight,
      priority: target.priority,
      connect_timeout_ms: target.connectTimeoutMs,
      first_byte_timeout_ms: target.firstByteTimeoutMs,
      idle_timeout_ms: target.idleTimeoutMs,
      ...(target.cost && { cost: mapTokenPricing(target.cost, decimalFromNano) }),
    })),
    strategy: entry.strategy,
    fallback_models: [...entry.fallbackModels],
    pricing: toSeedPricing(entry.pricing),
    ...(entry.image && { image: toSeedImage(entry.image) }),
    ...(entry.video && { video: toSeedVideo(entry.video) }),
  };
}

function toSeedImage(image: ImageFeatures): NonNullable<SeedInput['image']> {
  const { sizeRule: rule } = image;
  return {
    sizes: [...image.sizes],
    ...(rule && {
      size_rule: {
        step_px: rule.stepPx,
        max_edge_px: rule.maxEdgePx,
        max_ratio: rule.maxRatio,
        min_pixels: rule.minPixels,
        max_pixels: rule.maxPixels,
      },
    }),
    default_size: image.defaultSize,
    qualities: [...image.qualities],
    default_quality: image.defaultQuality,
    formats: [...image.formats] as NonNullable<SeedInput['image']>['formats'],
    max_n: image.maxN,
    max_input_images: image.maxInputImages,
    mask: image.mask,
    transparent: image.transparent,
    output_tokens: image.outputTokens.map((row) => ({ ...row })),
    output_tokens_by_area: image.outputTokensByArea,
    text_output_tokens: image.textOutputTokens,
    max_prompt_chars: image.maxPromptChars,
  };
}

const toSeedVideo = (video: VideoFeatures): NonNullable<SeedInput['video']> => ({
  durations: [...video.durations],
  min_duration: video.minDuration,
  max_duration: video.maxDuration,
  default_duration: video.defaultDuration,
  aspect_ratios: [...video.aspectRatios],
  default_aspect_ratio: video.defaultAspectRatio,
  max_reference_images: video.maxReferenceImages,
  max_prompt_chars: video.maxPromptChars,
  tiers: mapValues(video.tiers, ({ resolution, durations }) => ({ resolution, durations: [...durations] })),
});

/** A copy: the type of the seed's lists allows changes. */
const toSeedPricing = ({ source, source_date, ...prices }: Pricing): SeedInput['pricing'] => ({
  ...(mapPrices(prices, decimalFromNano) as Omit<SeedInput['pricing'], 'source' | 'source_date'>),
  source,
  source_date,
});
