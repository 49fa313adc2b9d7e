import type { Model } from '../../domain/model';

/** A model in the shape of OpenAI's model list. */
export function toOpenAiModel(model: Model) {
  return {
    id: model.slug,
    object: 'model',
    created: Math.floor(model.createdAtMs / 1000),
    owned_by: model.slug.slice(0, model.slug.indexOf('/')),
  };
}
