import type { CatalogModel } from './listed-model';

const MAX_SLUG_CHARS = 200;

/** Returns a slug for a model of a provider: `meta-llama/Llama-3.3` of `groq` is `groq/meta-llama-llama-3.3`. */
export function suggestedSlug(provider: string, upstreamModel: string): string {
  const name = upstreamModel
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
  return `${provider}/${name || 'model'}`.slice(0, MAX_SLUG_CHARS);
}

/** Returns the slugs of the models that call `upstreamModel` at the provider. */
export const slugsOf = (models: Iterable<CatalogModel>, provider: string, upstreamModel: string): string[] =>
  [...models]
    .filter(({ status }) => status !== 'delisted')
    .filter(({ targets }) => targets.some((target) => isTarget(target, provider, upstreamModel)))
    .map(({ slug }) => slug);

export const isTarget = (
  target: CatalogModel['targets'][number],
  provider: string,
  upstreamModel: string,
): boolean => target.provider === provider && target.upstream_model === upstreamModel;
