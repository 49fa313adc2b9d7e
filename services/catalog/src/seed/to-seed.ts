import { decimalFromNano } from '@gateway/proto';
import type { ModelEntry, Pricing, TokenRates } from '../domain/model';
import type { SeedInput } from './seed-schema';

/** The entry as a file of the seed would write it. */
export function toSeedModel(entry: ModelEntry): SeedInput {
  return {
    slug: entry.slug,
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
    })),
    pricing: toSeedPricing(entry.pricing),
  };
}

function toSeedPricing({ source, sourceDate, tokens, image, video }: Pricing): SeedInput['pricing'] {
  return {
    source,
    source_date: sourceDate,
    ...(tokens && {
      tokens: {
        ...toSeedRates(tokens),
        service_tiers: mapValues(tokens.serviceTiers, toSeedRates),
        ...(tokens.longContext && {
          long_context: { above_tokens: tokens.longContext.aboveTokens, ...toSeedRates(tokens.longContext) },
        }),
      },
    }),
    ...(image && {
      image: {
        per_image: image.perImage.map(({ priceNano, ...rest }) => ({
          ...rest,
          price: decimalFromNano(priceNano),
        })),
        ...amount('text_input', image.textInputNano),
        ...amount('image_input', image.imageInputNano),
        ...amount('image_output', image.imageOutputNano),
      },
    }),
    ...(video && {
      video: {
        tiers: [...video.tiers],
        ...(video.defaultTier !== undefined && { default_tier: video.defaultTier }),
        per_second: mapValues(video.perSecondNano, decimalFromNano),
      },
    }),
  };
}

function toSeedRates(rates: TokenRates) {
  return {
    ...amount('input', rates.inputNano),
    ...amount('output', rates.outputNano),
    ...amount('cache_read', rates.cacheReadNano),
    ...amount('cache_write', rates.cacheWriteNano),
    ...amount('cache_write_1h', rates.cacheWriteLongNano),
  };
}

function amount<K extends string>(field: K, nano: bigint | undefined): { [P in K]?: string } {
  return (nano === undefined ? {} : { [field]: decimalFromNano(nano) }) as { [P in K]?: string };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
