import { toProtoPrices, toProtoTokenPricing } from '@gateway/pricing';
import type { Model } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { Pricing } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { ModelFields, PricesDraft } from '../domain/model-draft';
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
      ...(target.cost && { cost: toProtoTokenPricing(target.cost) }),
    })),
    strategy: fields.strategy,
    fallbackModels: [...fields.fallback_models],
    ...(fields.image && { image: toProtoImageFeatures(fields.image) }),
    ...(fields.video && { video: toProtoVideoFeatures(fields.video) }),
  };
}

export const toProtoPricing = ({ source, source_date, ...prices }: PricesDraft): Pricing => ({
  source,
  sourceDate: source_date,
  ...toProtoPrices(prices),
});
