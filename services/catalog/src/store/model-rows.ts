import type {
  ImageFeatures,
  Model,
  ModelEntry,
  ModelStatus,
  Pricing,
  Target,
  TokenPricing,
  TokenRates,
  VideoFeatures,
} from '../domain/model';
import { DEFAULT_STRATEGY, type Strategy } from '../domain/strategy';

/** Nano-USD as decimal strings, because JSON numbers would lose digits. */
type Amount = string | null;

interface RatesJson {
  input: Amount;
  output: Amount;
  cache_read: Amount;
  cache_write: Amount;
  /** Absent in versions from before these prices existed. */
  cache_write_1h?: Amount;
  audio_input?: Amount;
  audio_cache_read?: Amount;
  audio_output?: Amount;
}

interface TokensJson extends RatesJson {
  service_tiers: Record<string, RatesJson>;
  long_context: (RatesJson & { above_tokens: number }) | null;
  /** Absent in versions from before these prices existed. */
  units?: Record<string, string>;
}

/** Column `pricing` of price_versions. */
export interface PricingJson {
  tokens: TokensJson | null;
  image: {
    per_image: { size: string; quality: string; price: string }[];
    text_input: Amount;
    image_input: Amount;
    image_output: Amount;
    /** Absent in versions from before these prices existed. */
    text_output?: Amount;
    input_megapixel?: Amount;
  } | null;
  video: { tiers: string[]; default_tier: string | null; per_second: Record<string, string> } | null;
  /** Absent in versions from before these prices existed. */
  audio?: {
    million_characters: Amount;
    hour: Amount;
    text_input: Amount;
    audio_input: Amount;
    text_output: Amount;
    audio_output: Amount;
  };
}

export interface TargetJson {
  provider: string;
  upstream_model: string;
  weight: number;
  priority: number;
  /** Rows of an older version have no timeouts. */
  connect_timeout_ms?: number;
  first_byte_timeout_ms?: number;
  idle_timeout_ms?: number;
  /** Absent if not known. */
  cost?: TokensJson;
}

/** Column `features`: JSON omits undefined members. */
interface FeaturesJson {
  image?: ImageFeatures;
  video?: VideoFeatures;
}

export interface ModelRow {
  slug: string;
  /** Null in rows of an older version. */
  aliases: string[] | null;
  name: string;
  status: ModelStatus;
  preview: boolean;
  successor: string | null;
  input_modalities: string[];
  output_modalities: string[];
  context_length: number;
  max_output_tokens: number;
  output_floor_tokens: number;
  max_image_tokens: number;
  capabilities: string[];
  workflow: string[];
  targets: TargetJson[];
  /** Null: the default. */
  strategy: Strategy | null;
  /** Null: none. */
  fallback_models: string[] | null;
  /** Null in rows of an older version. */
  features: FeaturesJson | null;
  price_version: bigint;
  created_at: Date;
  pricing: PricingJson;
  source: string;
  source_date: string;
}

export function fromModelRow(row: ModelRow): Model {
  return {
    slug: row.slug,
    aliases: row.aliases ?? [],
    name: row.name,
    status: row.status,
    preview: row.preview,
    successor: row.successor ?? undefined,
    inputModalities: row.input_modalities,
    outputModalities: row.output_modalities,
    contextLength: row.context_length,
    maxOutputTokens: row.max_output_tokens,
    outputFloorTokens: row.output_floor_tokens,
    maxImageTokens: row.max_image_tokens,
    capabilities: row.capabilities,
    workflow: row.workflow,
    targets: row.targets.map((target) => ({
      provider: target.provider,
      upstreamModel: target.upstream_model,
      weight: target.weight,
      priority: target.priority,
      connectTimeoutMs: target.connect_timeout_ms ?? 0,
      firstByteTimeoutMs: target.first_byte_timeout_ms ?? 0,
      idleTimeoutMs: target.idle_timeout_ms ?? 0,
      cost: target.cost && fromTokensJson(target.cost),
    })),
    strategy: row.strategy ?? DEFAULT_STRATEGY,
    fallbackModels: row.fallback_models ?? [],
    priceVersion: row.price_version,
    createdAtMs: row.created_at.getTime(),
    pricing: { ...fromPricingJson(row.pricing), source: row.source, sourceDate: row.source_date },
    image: row.features?.image && { ...row.features.image, sizeRule: row.features.image.sizeRule },
    video: row.features?.video,
  };
}

export const toFeaturesJson = ({ image, video }: Pick<ModelEntry, 'image' | 'video'>): string =>
  JSON.stringify({ image, video });

export function toTargetsJson(targets: readonly Target[]): TargetJson[] {
  return targets.map((target) => ({
    provider: target.provider,
    upstream_model: target.upstreamModel,
    weight: target.weight,
    priority: target.priority,
    connect_timeout_ms: target.connectTimeoutMs,
    first_byte_timeout_ms: target.firstByteTimeoutMs,
    idle_timeout_ms: target.idleTimeoutMs,
    ...(target.cost && { cost: toTokensJson(target.cost) }),
  }));
}

export function toPricingJson({ tokens, image, video, audio }: Pricing): PricingJson {
  return {
    tokens: tokens ? toTokensJson(tokens) : null,
    image: image
      ? {
          per_image: image.perImage.map(({ priceNano, ...rest }) => ({
            ...rest,
            price: priceNano.toString(),
          })),
          text_input: toAmount(image.textInputNano),
          image_input: toAmount(image.imageInputNano),
          image_output: toAmount(image.imageOutputNano),
          ...(image.textOutputNano !== undefined && { text_output: toAmount(image.textOutputNano) }),
          ...(image.inputMegapixelNano !== undefined && {
            input_megapixel: toAmount(image.inputMegapixelNano),
          }),
        }
      : null,
    video: video
      ? {
          tiers: [...video.tiers],
          default_tier: video.defaultTier ?? null,
          per_second: mapValues(video.perSecondNano, String),
        }
      : null,
    ...(audio && {
      audio: {
        million_characters: toAmount(audio.millionCharactersNano),
        hour: toAmount(audio.hourNano),
        text_input: toAmount(audio.textInputNano),
        audio_input: toAmount(audio.audioInputNano),
        text_output: toAmount(audio.textOutputNano),
        audio_output: toAmount(audio.audioOutputNano),
      },
    }),
  };
}

function fromPricingJson({
  tokens,
  image,
  video,
  audio,
}: PricingJson): Omit<Pricing, 'source' | 'sourceDate'> {
  return {
    tokens: tokens ? fromTokensJson(tokens) : undefined,
    image: image
      ? {
          perImage: image.per_image.map(({ price, ...rest }) => ({ ...rest, priceNano: BigInt(price) })),
          textInputNano: fromAmount(image.text_input),
          imageInputNano: fromAmount(image.image_input),
          imageOutputNano: fromAmount(image.image_output),
          textOutputNano: fromAmount(image.text_output ?? null),
          inputMegapixelNano: fromAmount(image.input_megapixel ?? null),
        }
      : undefined,
    video: video
      ? {
          tiers: video.tiers,
          defaultTier: video.default_tier ?? undefined,
          perSecondNano: mapValues(video.per_second, BigInt),
        }
      : undefined,
    audio: audio && {
      millionCharactersNano: fromAmount(audio.million_characters),
      hourNano: fromAmount(audio.hour),
      textInputNano: fromAmount(audio.text_input),
      audioInputNano: fromAmount(audio.audio_input),
      textOutputNano: fromAmount(audio.text_output),
      audioOutputNano: fromAmount(audio.audio_output),
    },
  };
}

function toTokensJson(tokens: TokenPricing): TokensJson {
  const { longContext } = tokens;
  return {
    ...toRatesJson(tokens),
    service_tiers: mapValues(tokens.serviceTiers, toRatesJson),
    long_context: longContext ? { above_tokens: longContext.aboveTokens, ...toRatesJson(longContext) } : null,
    units: mapValues(tokens.unitNano, String),
  };
}

function fromTokensJson(json: TokensJson): TokenPricing {
  const { long_context } = json;
  return {
    ...fromRatesJson(json),
    serviceTiers: mapValues(json.service_tiers, fromRatesJson),
    longContext: long_context
      ? { aboveTokens: long_context.above_tokens, ...fromRatesJson(long_context) }
      : undefined,
    unitNano: mapValues(json.units ?? {}, BigInt),
  };
}

function toRatesJson(rates: TokenRates): RatesJson {
  return {
    input: toAmount(rates.inputNano),
    output: toAmount(rates.outputNano),
    cache_read: toAmount(rates.cacheReadNano),
    cache_write: toAmount(rates.cacheWriteNano),
    ...(rates.cacheWriteLongNano !== undefined && { cache_write_1h: toAmount(rates.cacheWriteLongNano) }),
    ...(rates.audioInputNano !== undefined && { audio_input: toAmount(rates.audioInputNano) }),
    ...(rates.audioCacheReadNano !== undefined && { audio_cache_read: toAmount(rates.audioCacheReadNano) }),
    ...(rates.audioOutputNano !== undefined && { audio_output: toAmount(rates.audioOutputNano) }),
  };
}

function fromRatesJson(json: RatesJson): TokenRates {
  return {
    inputNano: fromAmount(json.input),
    outputNano: fromAmount(json.output),
    cacheReadNano: fromAmount(json.cache_read),
    cacheWriteNano: fromAmount(json.cache_write),
    cacheWriteLongNano: fromAmount(json.cache_write_1h ?? null),
    audioInputNano: fromAmount(json.audio_input ?? null),
    audioCacheReadNano: fromAmount(json.audio_cache_read ?? null),
    audioOutputNano: fromAmount(json.audio_output ?? null),
  };
}

const toAmount = (nano: bigint | undefined): Amount => nano?.toString() ?? null;
const fromAmount = (amount: Amount): bigint | undefined => (amount === null ? undefined : BigInt(amount));

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
