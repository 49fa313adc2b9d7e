import { GatewayError } from '@gateway/errors';
import type { Model } from '../../domain/model';

/** A model in the shape of Anthropic's model list. Members that the catalog lacks are null. */
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

interface ModelPage {
  readonly limit: number;
  /** Empty: from the first model. */
  readonly afterId: string;
  /** Empty: to the last model. */
  readonly beforeId: string;
}

/** Reads the query of a model list; without parameters it selects all models. @throws GatewayError `invalid_request` */
export function parseModelPage(query: string): ModelPage {
  const params = new URLSearchParams(query);
  const limit = params.get('limit');
  if (limit !== null && !/^([1-9]\d{0,2}|1000)$/.test(limit))
    throw new GatewayError('invalid_request', { detail: 'limit: must be a number from 1 to 1000' });
  return {
    limit: Number(limit ?? Number.POSITIVE_INFINITY),
    afterId: params.get('after_id') ?? '',
    beforeId: params.get('before_id') ?? '',
  };
}

/** Answers `GET /v1/models`. @param models sorted by slug, so that a page can start after a model that was removed */
export function toAnthropicModelList(models: readonly Model[], { limit, afterId, beforeId }: ModelPage) {
  const within = models.filter(({ slug }) => slug > afterId && (!beforeId || slug < beforeId));
  const data = (beforeId ? within.slice(-limit) : within.slice(0, limit)).map(toAnthropicModel);
  return {
    data,
    has_more: data.length < within.length,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
