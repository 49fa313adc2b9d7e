import { GatewayError } from '@gateway/errors';
import { isOfType } from '@gateway/models';
import type { CatalogModel } from '../../domain/model';

/** Google's API. */
const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1_000;

/** A model in the shape of Google's model list. Limits that the catalog lacks are absent. */
export function toGeminiModel({ slug, name, listed }: CatalogModel) {
  return {
    name: `models/${slug}`,
    displayName: name,
    ...(listed.context_length > 0 && { inputTokenLimit: listed.context_length }),
    ...(listed.max_output_tokens > 0 && { outputTokenLimit: listed.max_output_tokens }),
    supportedGenerationMethods: isOfType(listed, 'embedding')
      ? ['embedContent', 'batchEmbedContents']
      : ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

interface ModelPage {
  readonly size: number;
  /** The last model of the previous page; empty: from the first model. */
  readonly after: string;
}

/** Reads the query of a model list. @throws GatewayError `invalid_request` */
export function parseGeminiPage(query: string): ModelPage {
  const params = new URLSearchParams(query);
  const size = params.get('pageSize') ?? '0';
  if (!/^\d{1,9}$/.test(size))
    throw new GatewayError('invalid_request', { detail: 'pageSize: must be a number' });
  return {
    size: Math.min(Number(size) || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
    after: params.get('pageToken') ?? '',
  };
}

/** @param models sorted by slug, so that a page can start after a model that was removed */
export function toGeminiModelList(models: readonly CatalogModel[], { size, after }: ModelPage) {
  const rest = models.filter(({ slug }) => slug > after);
  const page = rest.slice(0, size);
  return {
    models: page.map(toGeminiModel),
    ...(page.length < rest.length && { nextPageToken: page.at(-1)!.slug }),
  };
}
