import { usdFromNano } from '@gateway/proto';
import type { ImagePricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImagePricing';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { ModelStatus__Output } from '@gateway/proto/generated/gateway/catalog/v1/ModelStatus';
import type { Pricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { TokenPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import type { CatalogModel, ListedPricing, ModelStatus, TokenRates } from '../domain/listed-model';
import { fromProtoImageFeatures, fromProtoVideoFeatures } from './media-features';

const STATUS: Readonly<Record<ModelStatus__Output, ModelStatus>> = {
  MODEL_STATUS_ACTIVE: 'active',
  MODEL_STATUS_DISABLED: 'disabled',
  MODEL_STATUS_DELISTED: 'delisted',
  // A status that this version does not know can't be called good.
  MODEL_STATUS_UNSPECIFIED: 'disabled',
};

export function fromProtoModel(model: Model__Output): CatalogModel {
  return {
    slug: model.slug,
    name: model.name,
    status: STATUS[model.status] ?? 'disabled',
    preview: model.preview,
    successor: model.successor || null,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    output_floor_tokens: model.outputFloorTokens,
    max_image_tokens: model.maxImageTokens,
    capabilities: model.capabilities,
    workflow: model.workflow,
    targets: model.targets.map((target) => ({
      provider: target.provider,
      upstream_model: target.upstreamModel,
      weight: target.weight,
      priority: target.priority,
      connect_timeout_ms: target.connectTimeoutMs,
      first_byte_timeout_ms: target.firstByteTimeoutMs,
      idle_timeout_ms: target.idleTimeoutMs,
    })),
    image: model.image && fromProtoImageFeatures(model.image),
    video: model.video && fromProtoVideoFeatures(model.video),
    pricing: model.pricing && fromProtoPricing(model.pricing),
    created_at: new Date(Number(model.createdAtMs)).toISOString(),
  };
}

function fromProtoPricing(pricing: Pricing__Output): ListedPricing {
  const { tokens, image, video } = pricing;
  return {
    currency: 'USD',
    version: Number(pricing.version),
    source: pricing.source,
    source_date: pricing.sourceDate,
    ...(tokens && { tokens: fromProtoTokens(tokens) }),
    ...(image && { image: fromProtoImage(image) }),
    ...(video && {
      video: {
        tiers: video.tiers,
        default_tier: video.defaultTier || null,
        per_second: mapValues(video.perSecondNano, toUsd),
      },
    }),
  };
}

function fromProtoTokens(tokens: TokenPricing__Output): NonNullable<ListedPricing['tokens']> {
  const { longContext, longContextAboveTokens } = tokens;
  return {
    ...toRates(tokens),
    service_tiers: mapValues(tokens.serviceTiers, toRates),
    ...(longContext && { long_context: { above_tokens: longContextAboveTokens, ...toRates(longContext) } }),
  };
}

function fromProtoImage(image: ImagePricing__Output): NonNullable<ListedPricing['image']> {
  return {
    per_image: image.perImage.map(({ size, quality, priceNano }) => ({
      size,
      quality,
      price: toUsd(priceNano),
    })),
    ...(image.textInputNano !== undefined && { text_input: toUsd(image.textInputNano) }),
    ...(image.imageInputNano !== undefined && { image_input: toUsd(image.imageInputNano) }),
    ...(image.imageOutputNano !== undefined && { image_output: toUsd(image.imageOutputNano) }),
    ...(image.textOutputNano !== undefined && { text_output: toUsd(image.textOutputNano) }),
    ...(image.inputMegapixelNano !== undefined && { input_megapixel: toUsd(image.inputMegapixelNano) }),
  };
}

function toRates(tokens: TokenPricing__Output): TokenRates {
  return {
    ...(tokens.inputNano !== undefined && { input: toUsd(tokens.inputNano) }),
    ...(tokens.outputNano !== undefined && { output: toUsd(tokens.outputNano) }),
    ...(tokens.cacheReadNano !== undefined && { cache_read: toUsd(tokens.cacheReadNano) }),
    ...(tokens.cacheWriteNano !== undefined && { cache_write: toUsd(tokens.cacheWriteNano) }),
    ...(tokens.cacheWriteLongNano !== undefined && { cache_write_1h: toUsd(tokens.cacheWriteLongNano) }),
  };
}

const toUsd = (nano: string): number => usdFromNano(BigInt(nano));

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
