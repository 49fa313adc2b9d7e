import type { ImageFeatures, ModelEntry, TokenPricing, TokenRates, VideoFeatures } from '../domain/model';
import type { SeedImage, SeedVideo } from './feature-schema';
import type { SeedModel, SeedRates, SeedTokens } from './seed-schema';

export function fromSeedModel(seed: SeedModel): ModelEntry {
  const { tokens, image, video, audio, source, source_date } = seed.pricing;
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
      cost: target.cost && fromSeedTokens(target.cost),
    })),
    strategy: seed.strategy,
    fallbackModels: seed.fallback_models,
    pricing: {
      source,
      sourceDate: source_date,
      tokens: tokens && fromSeedTokens(tokens),
      image: image && {
        perImage: image.per_image.map(({ price, ...rest }) => ({ ...rest, priceNano: price })),
        textInputNano: image.text_input,
        imageInputNano: image.image_input,
        imageOutputNano: image.image_output,
        textOutputNano: image.text_output,
        inputMegapixelNano: image.input_megapixel,
      },
      video: video && {
        tiers: video.tiers,
        defaultTier: video.default_tier,
        perSecondNano: video.per_second,
      },
      audio: audio && {
        millionCharactersNano: audio.million_characters,
        hourNano: audio.hour,
        textInputNano: audio.text_input,
        audioInputNano: audio.audio_input,
        textOutputNano: audio.text_output,
        audioOutputNano: audio.audio_output,
      },
    },
    image: seed.image && fromSeedImage(seed.image),
    video: seed.video && fromSeedVideo(seed.video),
  };
}

const fromSeedTokens = (tokens: SeedTokens): TokenPricing => ({
  ...fromSeedRates(tokens),
  serviceTiers: Object.fromEntries(
    Object.entries(tokens.service_tiers).map(([tier, rates]) => [tier, fromSeedRates(rates)]),
  ),
  longContext: tokens.long_context && {
    aboveTokens: tokens.long_context.above_tokens,
    ...fromSeedRates(tokens.long_context),
  },
  unitNano: tokens.units as Readonly<Record<string, bigint>>,
});

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

function fromSeedRates(rates: SeedRates): TokenRates {
  return {
    inputNano: rates.input,
    outputNano: rates.output,
    cacheReadNano: rates.cache_read,
    cacheWriteNano: rates.cache_write,
    cacheWriteLongNano: rates.cache_write_1h,
    audioInputNano: rates.audio_input,
    audioCacheReadNano: rates.audio_cache_read,
    audioOutputNano: rates.audio_output,
  };
}
