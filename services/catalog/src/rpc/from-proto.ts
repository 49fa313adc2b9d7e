import { GatewayError } from '@gateway/errors';
import { fromProtoPrices, fromProtoTokenPricing, type Pricing } from '@gateway/pricing';
import type { ImageFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { ModelStatus__Output } from '@gateway/proto/generated/gateway/catalog/v1/ModelStatus';
import type { Pricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { ImageFeatures, ModelEntry, ModelStatus } from '../domain/model';
import { DEFAULT_STRATEGY, type Strategy } from '../domain/strategy';

const STATUS: Readonly<Record<ModelStatus__Output, ModelStatus | undefined>> = {
  MODEL_STATUS_ACTIVE: 'active',
  MODEL_STATUS_DISABLED: 'disabled',
  MODEL_STATUS_DELISTED: 'delisted',
  MODEL_STATUS_UNSPECIFIED: undefined,
};

/** Throws `invalid_request` for a status that this version does not know. */
export function fromProtoStatus(status: ModelStatus__Output): ModelStatus {
  const known = STATUS[status];
  if (known) return known;
  throw new GatewayError('invalid_request', { detail: 'status: must be active, disabled or delisted' });
}

/** Converts the message without validation. The default status is `active`, the default weight 1. */
export function fromProtoModel(model: Model__Output | null): ModelEntry {
  if (!model) throw new GatewayError('invalid_request', { detail: 'model is required' });
  return {
    slug: model.slug,
    aliases: model.aliases,
    name: model.name,
    status: model.status === 'MODEL_STATUS_UNSPECIFIED' ? 'active' : fromProtoStatus(model.status),
    preview: model.preview,
    successor: model.successor || undefined,
    inputModalities: model.inputModalities,
    outputModalities: model.outputModalities,
    contextLength: model.contextLength,
    maxOutputTokens: model.maxOutputTokens,
    outputFloorTokens: model.outputFloorTokens,
    maxImageTokens: model.maxImageTokens,
    capabilities: model.capabilities,
    workflow: model.workflow,
    targets: model.targets.map(({ cost, ...target }) => ({
      ...target,
      weight: target.weight || 1,
      cost: cost ? fromProtoTokenPricing(cost) : undefined,
    })),
    // The seed's rules refuse unknown ones.
    strategy: (model.strategy || DEFAULT_STRATEGY) as Strategy,
    fallbackModels: model.fallbackModels,
    pricing: fromProtoPricing(model.pricing),
    image: model.image ? fromProtoImageFeatures(model.image) : undefined,
    video: model.video ?? undefined,
  };
}

function fromProtoImageFeatures({ sizeRule, ...image }: ImageFeatures__Output): ImageFeatures {
  return {
    ...image,
    sizeRule: sizeRule
      ? {
          ...sizeRule,
          minPixels: Number(sizeRule.minPixels),
          maxPixels: Number(sizeRule.maxPixels),
        }
      : undefined,
  };
}

/** The store assigns the version. */
export function fromProtoPricing(pricing: Pricing__Output | null): Pricing {
  const { source = '', sourceDate: source_date = '' } = pricing ?? {};
  return { source, source_date, ...(pricing && fromProtoPrices(pricing)) };
}
