import { TOKEN_RATE_NAMES } from '@gateway/pricing';
import type { PricesInput } from '../../../api/admin-models';
import type { EndpointModel, ImportedModel } from '../../../api/admin-providers';
import { formatCount } from '../../../ui/format-count';
import { parseUsd } from '../../../ui/parse-usd';
import { parseCount } from '../models/parse-count';
import { priceText } from '../prices/prices-draft';

/** What an operator has typed for a model; absent: as suggested. */
export interface Edit {
  readonly slug?: string;
  readonly context?: string;
  readonly input?: string;
  readonly output?: string;
}

/** A model of an endpoint with what would be imported, as text. */
export interface ImportRow {
  readonly model: EndpointModel;
  readonly slug: string;
  /** Context length in tokens. */
  readonly context: string;
  /** Selling prices, USD per million tokens. */
  readonly input: string;
  readonly output: string;
  /** A price was typed: the list is no longer its source. */
  readonly isTyped: boolean;
  /** Another model of the catalog has this slug: it gets the provider as a target and keeps its prices. */
  readonly isExisting: boolean;
  /** Why it can't be imported. */
  readonly problem: string | undefined;
}

export function toRow(model: EndpointModel, edit: Edit = {}, catalog: ReadonlySet<string>): ImportRow {
  const { pricing, suggested_slug, slugs, context_length } = model;
  const { slug = suggested_slug, context, input, output } = edit;
  const isExisting = catalog.has(slug.trim());
  const row = {
    model,
    slug,
    context: context ?? (context_length ? formatCount(context_length) : ''),
    input: input ?? priceText(pricing?.tokens?.input),
    output: output ?? priceText(pricing?.tokens?.output),
    isTyped: input !== undefined || output !== undefined,
    isExisting,
  };
  const problem = slugs.includes(slug.trim()) ? 'Already imported' : problemOf(row);
  return { ...row, problem };
}

function problemOf({ model, slug, context, input, output, isExisting }: Omit<ImportRow, 'problem'>) {
  if (slug.trim() === '') return 'Needs a slug';
  if (isExisting) return undefined;
  if (needsContext(model) && !parseCount(context)) return 'Needs a context length';
  return isPrice(input) && isPrice(output) ? undefined : 'Needs both prices';
}

/** The context bounds what a call can cost. */
export const needsContext = ({ output_modalities }: EndpointModel): boolean =>
  output_modalities.includes('text');

/** Zero is a price; an empty text is none. */
export const isPrice = (text: string): boolean => (parseUsd(text) ?? -1) >= 0;

/** Neither the input nor the output costs anything. */
export const isFree = ({ input, output, isExisting }: ImportRow): boolean =>
  !isExisting && parseUsd(input) === 0 && parseUsd(output) === 0;

export function toImportedModel(row: ImportRow): ImportedModel {
  const { model, slug, isExisting } = row;
  const { upstream_model, name, input_modalities, output_modalities, max_output_tokens, capabilities } =
    model;
  const context_length = parseCount(row.context) ?? 0;
  return {
    upstream_model,
    slug: slug.trim(),
    ...(name && { name }),
    input_modalities,
    output_modalities,
    context_length,
    ...(max_output_tokens && { max_output_tokens: Math.min(max_output_tokens, context_length) }),
    capabilities,
    ...(model.cost?.tokens && { cost: model.cost.tokens }),
    ...(!isExisting && { pricing: pricingOf(row) }),
  };
}

/** Typed prices replace those of the list; its other rates, such as those of cached tokens, stay. */
function pricingOf({ model: { pricing }, input, output, isTyped }: ImportRow): PricesInput {
  if (pricing && !isTyped) return pricing;
  return {
    tokens: { service_tiers: {}, ...pricing?.tokens, input: parseUsd(input)!, output: parseUsd(output)! },
  };
}

/** Returns the rates that a listed price has besides input and output: `cache read, long context`. */
export function otherRates({ pricing }: EndpointModel): string[] {
  const tokens = pricing?.tokens;
  const has = (kind: string) =>
    TOKEN_RATE_NAMES.some((rate) => rate.includes(kind) && tokens?.[rate] !== undefined);
  return [
    ...(has('cache') ? ['cache'] : []),
    ...(has('audio') ? ['audio'] : []),
    ...(tokens?.long_context ? ['long context'] : []),
    ...(Object.keys(tokens?.service_tiers ?? {}).length === 0 ? [] : ['service tiers']),
  ];
}

export function matches({ upstream_model, name, suggested_slug }: EndpointModel, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [upstream_model, name ?? '', suggested_slug].some((text) => text.toLowerCase().includes(wanted));
}
