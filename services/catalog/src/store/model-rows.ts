import {
  AUDIO_RATE_NAMES,
  eachOf,
  IMAGE_RATE_NAMES,
  mapPrices,
  mapTokenPricing,
  mapValues,
  type PricesInput,
  type Pricing,
  TOKEN_RATE_NAMES,
  type TokenPricing,
  type TokenPricingInput,
} from '@gateway/pricing';
import type { ImageFeatures, Model, ModelEntry, ModelStatus, Target, VideoFeatures } from '../domain/model';
import { DEFAULT_STRATEGY, type Strategy } from '../domain/strategy';

/** Column `pricing` of price_versions. Nano-USD as decimal strings, because JSON numbers would lose digits. */
export type PricingJson = PricesInput<string>;

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
  cost?: TokenPricingInput<string>;
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
      cost: target.cost && mapTokenPricing(target.cost, BigInt),
    })),
    strategy: row.strategy ?? DEFAULT_STRATEGY,
    fallbackModels: row.fallback_models ?? [],
    priceVersion: row.price_version,
    createdAtMs: row.created_at.getTime(),
    pricing: { ...mapPrices(row.pricing, BigInt), source: row.source, source_date: row.source_date },
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

export function toPricingJson(pricing: Pricing): PricingJson {
  const { tokens, image, video, audio } = mapPrices(pricing, String);
  return {
    tokens: tokens ? withNulls(tokens) : null,
    image: image ? { ...eachOf(IMAGE_RATE_NAMES, null), ...image } : null,
    video: video ? { default_tier: null, ...video } : null,
    ...(audio && { audio: { ...eachOf(AUDIO_RATE_NAMES, null), ...audio } }),
  };
}

const toTokensJson = (tokens: TokenPricing): TokenPricingInput<string> =>
  withNulls(mapTokenPricing(tokens, String));

/** The release before requires a member for a price that there is not. */
function withNulls(tokens: TokenPricing<string>): TokenPricingInput<string> {
  const none = eachOf(TOKEN_RATE_NAMES, null);
  const { service_tiers, long_context } = tokens;
  return {
    ...none,
    ...tokens,
    service_tiers: mapValues(service_tiers, (rates) => ({ ...none, ...rates })),
    long_context: long_context ? { ...none, ...long_context } : null,
  };
}
