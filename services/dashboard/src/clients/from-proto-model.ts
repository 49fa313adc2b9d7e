import { toListedModel } from '@gateway/models';
import { usdFromNano } from '@gateway/money';
import { fromProtoTokenPricing, mapTokenPricing } from '@gateway/pricing';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { CatalogModel, Strategy } from '../domain/listed-model';

/** Of models of an older catalog. */
const DEFAULT_STRATEGY = 'weighted';

export function fromProtoModel(model: Model__Output): CatalogModel {
  return {
    ...toListedModel(model),
    output_floor_tokens: model.outputFloorTokens,
    max_image_tokens: model.maxImageTokens,
    targets: model.targets.map((target) => ({
      provider: target.provider,
      upstream_model: target.upstreamModel,
      weight: target.weight,
      priority: target.priority,
      connect_timeout_ms: target.connectTimeoutMs,
      first_byte_timeout_ms: target.firstByteTimeoutMs,
      idle_timeout_ms: target.idleTimeoutMs,
      cost: target.cost && mapTokenPricing(fromProtoTokenPricing(target.cost), usdFromNano),
    })),
    strategy: (model.strategy || DEFAULT_STRATEGY) as Strategy,
    fallback_models: model.fallbackModels,
  };
}
