import type { CatalogModel } from '../../domain/model';

/**
 * Returns a model in the shape of OpenAI's model list, with the fields of `/api/v1/models` that help to choose a model.
 * Prices are in USD.
 */
export function toOpenAiModel({ slug, createdAtMs, listed }: CatalogModel) {
  const { pricing } = listed;
  return {
    id: slug,
    object: 'model',
    created: Math.floor(createdAtMs / 1000),
    owned_by: slug.slice(0, slug.indexOf('/')),
    name: listed.name,
    aliases: listed.aliases,
    preview: listed.preview,
    input_modalities: listed.input_modalities,
    output_modalities: listed.output_modalities,
    // 0 in the catalog means that there is no such bound.
    context_length: listed.context_length || null,
    max_output_tokens: listed.max_output_tokens || null,
    capabilities: listed.capabilities,
    pricing: pricing && {
      currency: pricing.currency,
      tokens: pricing.tokens,
      image: pricing.image,
      video: pricing.video,
      audio: pricing.audio,
    },
    image: listed.image,
    video: listed.video,
  };
}
