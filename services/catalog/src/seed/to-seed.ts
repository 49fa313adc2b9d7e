import { decimalFromNano } from '@gateway/money';
import type {
  ImageFeatures,
  ModelEntry,
  Pricing,
  TokenPricing,
  TokenRates,
  VideoFeatures,
} from '../domain/model';
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
      ...(target.cost && { cost: toSeedTokens(target.cost) }),
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

function toSeedPricing({ source, sourceDate, tokens, image, video, audio }: Pricing): SeedInput['pricing'] {
  return {
    source,
    source_date: sourceDate,
    ...(tokens && { tokens: toSeedTokens(tokens) }),
    ...(image && {
      image: {
        per_image: image.perImage.map(({ priceNano, ...rest }) => ({
          ...rest,
          price: decimalFromNano(priceNano),
        })),
        ...amount('text_input', image.textInputNano),
        ...amount('image_input', image.imageInputNano),
        ...amount('image_output', image.imageOutputNano),
        ...amount('text_output', image.textOutputNano),
        ...amount('input_megapixel', image.inputMegapixelNano),
      },
    }),
    ...(video && {
      video: {
        tiers: [...video.tiers],
        ...(video.defaultTier !== undefined && { default_tier: video.defaultTier }),
        per_second: mapValues(video.perSecondNano, decimalFromNano),
      },
    }),
    ...(audio && {
      audio: {
        ...amount('million_characters', audio.millionCharactersNano),
        ...amount('hour', audio.hourNano),
        ...amount('text_input', audio.textInputNano),
        ...amount('audio_input', audio.audioInputNano),
        ...amount('text_output', audio.textOutputNano),
        ...amount('audio_output', audio.audioOutputNano),
      },
    }),
  };
}

function toSeedTokens(tokens: TokenPricing) {
  return {
    ...toSeedRates(tokens),
    service_tiers: mapValues(tokens.serviceTiers, toSeedRates),
    ...(tokens.longContext && {
      long_context: { above_tokens: tokens.longContext.aboveTokens, ...toSeedRates(tokens.longContext) },
    }),
    units: mapValues(tokens.unitNano, decimalFromNano),
  };
}

function toSeedRates(rates: TokenRates) {
  return {
    ...amount('input', rates.inputNano),
    ...amount('output', rates.outputNano),
    ...amount('cache_read', rates.cacheReadNano),
    ...amount('cache_write', rates.cacheWriteNano),
    ...amount('cache_write_1h', rates.cacheWriteLongNano),
    ...amount('audio_input', rates.audioInputNano),
    ...amount('audio_cache_read', rates.audioCacheReadNano),
    ...amount('audio_output', rates.audioOutputNano),
  };
}

function amount<K extends string>(field: K, nano: bigint | undefined): { [P in K]?: string } {
  return (nano === undefined ? {} : { [field]: decimalFromNano(nano) }) as { [P in K]?: string };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
