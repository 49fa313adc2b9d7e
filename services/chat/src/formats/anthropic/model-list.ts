import type { Model } from '../../domain/model';

/** A model in the shape of Anthropic's model list. What the catalog does not tell is null. */
export function toAnthropicModel(model: Model) {
  return {
    type: 'model',
    id: model.slug,
    display_name: model.name,
    created_at: new Date(model.createdAtMs).toISOString(),
    max_input_tokens: model.contextLength,
    max_tokens: model.maxOutputTokens,
    lifecycle: 'active',
    line: null,
    capabilities: null,
    deprecated_at: null,
    retires_at: null,
  };
}

/** `GET /v1/models`: all of them on one page. */
export function toAnthropicModelList(models: readonly Model[]) {
  const data = models.map(toAnthropicModel);
  return { data, has_more: false, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
