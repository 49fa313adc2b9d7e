import type { Model } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { Pricing } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { TokenPricing } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import type { ModelFields, PricesDraft, RatesDraft } from '../domain/model-draft';
import { toProtoImageFeatures, toProtoVideoFeatures } from './media-features';

export function toProtoFields(fields: ModelFields): Model {
  return {
    slug: fields.slug,
    name: fields.name,
    aliases: [...fields.aliases],
    preview: fields.preview,
    successor: fields.successor ?? '',
    inputModalities: [...fields.input_modalities],
    outputModalities: [...fields.output_modalities],
    contextLength: fields.context_length,
    maxOutputTokens: fields.max_output_tokens,
    outputFloorTokens: fields.output_floor_tokens,
    maxImageTokens: fields.max_image_tokens,
    capabilities: [...fields.capabilities],
    workflow: [...fields.workflow],
    targets: fields.targets.map((target) => ({
      provider: target.provider,
      upstreamModel: target.upstream_model,
      weight: target.weight,
      priority: target.priority,
      connectTimeoutMs: target.connect_timeout_ms,
      firstByteTimeoutMs: target.first_byte_timeout_ms,
      idleTimeoutMs: target.idle_timeout_ms,
      ...(target.cost && { cost: toProtoTokens(target.cost) }),
    })),
    strategy: fields.strategy,
    fallbackModels: [...fields.fallback_models],
    ...(fields.image && { image: toProtoImageFeatures(fields.image) }),
    ...(fields.video && { video: toProtoVideoFeatures(fields.video) }),
  };
}

export function toProtoPrices({ source, source_date, tokens, image, video, audio }: PricesDraft): Pricing {
  return {
    source,
    sourceDate: source_date,
    ...(tokens && { tokens: toProtoTokens(tokens) }),
    ...(image && {
      image: {
        perImage: (image.per_image ?? []).map(({ price, ...rest }) => ({
          ...rest,
          priceNano: price.toString(),
        })),
        ...amount('textInputNano', image.text_input),
        ...amount('imageInputNano', image.image_input),
        ...amount('imageOutputNano', image.image_output),
        ...amount('textOutputNano', image.text_output),
        ...amount('inputMegapixelNano', image.input_megapixel),
      },
    }),
    ...(video && {
      video: {
        tiers: [...video.tiers],
        defaultTier: video.default_tier ?? '',
        perSecondNano: mapValues(video.per_second, String),
      },
    }),
    ...(audio && {
      audio: {
        ...amount('millionCharactersNano', audio.million_characters),
        ...amount('hourNano', audio.hour),
        ...amount('textInputNano', audio.text_input),
        ...amount('audioInputNano', audio.audio_input),
        ...amount('textOutputNano', audio.text_output),
        ...amount('audioOutputNano', audio.audio_output),
      },
    }),
  };
}

function toProtoTokens(tokens: NonNullable<PricesDraft['tokens']>): TokenPricing {
  const { long_context } = tokens;
  return {
    ...toProtoRates(tokens),
    serviceTiers: mapValues(tokens.service_tiers ?? {}, toProtoRates),
    ...(long_context && {
      longContextAboveTokens: long_context.above_tokens,
      longContext: toProtoRates(long_context),
    }),
    unitNano: mapValues(tokens.units ?? {}, String),
  };
}

function toProtoRates(rates: RatesDraft): TokenPricing {
  return {
    ...amount('inputNano', rates.input),
    ...amount('outputNano', rates.output),
    ...amount('cacheReadNano', rates.cache_read),
    ...amount('cacheWriteNano', rates.cache_write),
    ...amount('cacheWriteLongNano', rates.cache_write_1h),
    ...amount('audioInputNano', rates.audio_input),
    ...amount('audioCacheReadNano', rates.audio_cache_read),
    ...amount('audioOutputNano', rates.audio_output),
  };
}

function amount<K extends string>(field: K, nano: bigint | null | undefined): { [P in K]?: string } {
  return (nano == null ? {} : { [field]: nano.toString() }) as { [P in K]?: string };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
