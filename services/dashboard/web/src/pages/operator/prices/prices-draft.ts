import {
  AUDIO_RATE_NAMES,
  type AudioRate,
  IMAGE_RATE_NAMES,
  type ImageRate,
  type ListedPricing,
  PRICED_UNIT_NAMES,
  type Rates,
  TOKEN_RATE_NAMES,
  type TokenRate,
} from '@gateway/pricing';
import type { PricesInput } from '../../../api/admin-models';
import { parseUsd } from '../../../ui/parse-usd';
import { randomId } from '../../../ui/random-id';
import { parseCount } from '../models/parse-count';
import type { Problems } from '../models/problems';

/** Text as typed; empty: no price. */
export type RatesDraft = Readonly<Partial<Record<string, string>>>;

/** Prices as the form's text values. Rows have ids as React keys. */
export interface PricesDraft {
  readonly tokens: RatesDraft;
  readonly units: RatesDraft;
  readonly tiers: readonly { readonly id: string; readonly name: string; readonly rates: RatesDraft }[];
  readonly longContext: { readonly above: string; readonly rates: RatesDraft } | null;
  readonly images: readonly {
    readonly id: string;
    readonly size: string;
    readonly quality: string;
    readonly price: string;
  }[];
  readonly imageRates: RatesDraft;
  readonly audioRates: RatesDraft;
  readonly seconds: readonly { readonly id: string; readonly tier: string; readonly price: string }[];
  readonly defaultTier: string;
  readonly source: string;
  readonly sourceDate: string;
}

export const newTier = () => ({ id: randomId(), name: '', rates: {} });
export const newImagePrice = () => ({ id: randomId(), size: '', quality: '', price: '' });
export const newSecondPrice = () => ({ id: randomId(), tier: '', price: '' });

/** Returns the form values of the prices; empty ones if there are none. */
export function fromPricing(pricing: ListedPricing | null): PricesDraft {
  const { tokens, image, video, audio } = pricing ?? {};
  return {
    tokens: fromRates(TOKEN_RATE_NAMES, tokens),
    units: fromRates(PRICED_UNIT_NAMES, tokens?.units),
    tiers: Object.entries(tokens?.service_tiers ?? {}).map(([name, rates]) => ({
      ...newTier(),
      name,
      rates: fromRates(TOKEN_RATE_NAMES, rates),
    })),
    longContext: tokens?.long_context
      ? {
          above: String(tokens.long_context.above_tokens),
          rates: fromRates(TOKEN_RATE_NAMES, tokens.long_context),
        }
      : null,
    images: (image?.per_image ?? []).map(({ size, quality, price }) => ({
      ...newImagePrice(),
      size,
      quality,
      price: priceText(price),
    })),
    imageRates: fromRates(IMAGE_RATE_NAMES, image),
    audioRates: fromRates(AUDIO_RATE_NAMES, audio),
    seconds: (video?.tiers ?? []).map((tier) => ({
      ...newSecondPrice(),
      tier,
      price: priceText(video?.per_second[tier]),
    })),
    defaultTier: video?.default_tier ?? '',
    source: pricing?.source ?? '',
    sourceDate: pricing?.source_date ?? '',
  };
}

/** Returns the prices of a form and the problems of its fields. Empty parts are omitted. */
export function toPrices(draft: PricesDraft): { prices: PricesInput; problems: Problems } {
  const problems = new Map<string, string>();
  const prices = {
    ...toTokens(draft, problems),
    ...toImage(draft, problems),
    ...toVideo(draft, problems),
    ...toAudio(draft, problems),
    ...(draft.source.trim() && { source: draft.source.trim() }),
    ...(draft.sourceDate && { source_date: draft.sourceDate }),
  };
  if (!prices.tokens && !prices.image && !prices.video && !prices.audio)
    problems.set('pricing', 'No price yet.');
  return { prices, problems };
}

type Found = Map<string, string>;

function toTokens(draft: PricesDraft, problems: Found): Pick<PricesInput, 'tokens'> {
  const { tokens, units: typedUnits, tiers, longContext } = draft;
  if (isEmpty(tokens) && isEmpty(typedUnits) && tiers.length === 0 && !longContext) return {};
  const at = 'pricing.tokens';
  const named = tiers.map(({ id, name }) => ({ id: `tier ${id}`, name }));
  checkNames(named, problems);
  const service_tiers = Object.fromEntries(
    tiers.map(({ name, rates }) => [
      name.trim(),
      toRates<TokenRate>(rates, `${at}.service_tiers.${name.trim()}`, problems),
    ]),
  );
  const standard = toRates<TokenRate>(tokens, at, problems);
  const units = toRates(typedUnits, `${at}.units`, problems) as Record<string, number>;
  if (units.web_search !== undefined && units.web_search_prompt !== undefined)
    problems.set(`${at}.units.web_search_prompt`, 'A search is priced by itself or by its prompt, not both.');
  if (!longContext) return { tokens: { ...standard, service_tiers, units } };
  const above_tokens = parseCount(longContext.above) ?? 0;
  if (above_tokens === 0)
    problems.set(`${at}.long_context.above_tokens`, 'Enter a whole number greater than zero.');
  const rates = toRates<TokenRate>(longContext.rates, `${at}.long_context`, problems);
  return { tokens: { ...standard, service_tiers, units, long_context: { above_tokens, ...rates } } };
}

function toImage({ images, imageRates }: PricesDraft, problems: Found): Pick<PricesInput, 'image'> {
  if (images.length === 0 && isEmpty(imageRates)) return {};
  const per_image = images.map(({ size, quality, price }, index) => ({
    size: size.trim(),
    quality: quality.trim(),
    price: toPrice(price, `pricing.image.per_image.${index}.price`, problems),
  }));
  return { image: { per_image, ...toRates<ImageRate>(imageRates, 'pricing.image', problems) } };
}

function toVideo({ seconds, defaultTier }: PricesDraft, problems: Found): Pick<PricesInput, 'video'> {
  if (seconds.length === 0) return {};
  const named = seconds.map(({ id, tier }) => ({ id: `second ${id}`, name: tier }));
  checkNames(named, problems);
  const tiers = seconds.map(({ tier }) => tier.trim());
  const per_second = Object.fromEntries(
    seconds.map(({ tier, price }) => [
      tier.trim(),
      toPrice(price, `pricing.video.per_second.${tier.trim()}`, problems),
    ]),
  );
  const default_tier = tiers.includes(defaultTier.trim()) ? defaultTier.trim() : null;
  return { video: { tiers, default_tier, per_second } };
}

function toAudio({ audioRates }: PricesDraft, problems: Found): Pick<PricesInput, 'audio'> {
  if (isEmpty(audioRates)) return {};
  return { audio: toRates<AudioRate>(audioRates, 'pricing.audio', problems) };
}

/** Of two rows with the same name only the last would be sent. */
function checkNames(tiers: readonly { readonly id: string; readonly name: string }[], problems: Found): void {
  const seen = new Set<string>();
  for (const { id, name } of tiers) {
    if (!name.trim()) problems.set(id, 'A tier needs a name.');
    else if (seen.has(name.trim())) problems.set(id, 'Another tier has this name.');
    seen.add(name.trim());
  }
}

function toRates<Name extends string>(
  rates: RatesDraft,
  at: string,
  problems: Found,
): Partial<Record<Name, number>> {
  const typed = Object.entries(rates).filter(([, text]) => text?.trim());
  return Object.fromEntries(
    typed.map(([name, text = '']) => [name, toPrice(text, `${at}.${name}`, problems)]),
  ) as Partial<Record<Name, number>>;
}

function toPrice(text: string, path: string, problems: Found): number {
  const price = parseUsd(text);
  if (price !== undefined && price >= 0) return price;
  problems.set(path, 'Enter an amount such as 0.25, with at most nine decimals.');
  return 0;
}

function fromRates(names: readonly string[], rates: Rates<string, unknown> = {}): RatesDraft {
  return Object.fromEntries(names.map((name) => [name, priceText(rates[name])]));
}

/** Without the exponent in which JavaScript prints small numbers. */
export function priceText(price: unknown): string {
  return typeof price === 'number'
    ? price.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 9 })
    : '';
}

const isEmpty = (rates: RatesDraft): boolean => Object.values(rates).every((text) => !text?.trim());
