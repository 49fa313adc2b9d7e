import { toListedModel } from '@gateway/models';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { CatalogModel } from '../domain/listed-model';

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
    })),
  };
}
