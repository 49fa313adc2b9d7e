import {
  type CallNeed,
  eachOf,
  mapTokenPricing,
  TOKEN_RATE_NAMES,
  TOKEN_RATES,
  type TokenPricing,
  type TokenRate,
} from '@gateway/pricing';
import { EntryRejected, NOT_CHAT } from './price-list';

/** Prices of a list in nano-USD per million tokens. Undefined: the list has no such price. */
export type ListedRates = {
  /** `reasoning` and `image` are dimensions that the catalog bills as output and input. */
  [Rate in TokenRate | 'reasoning' | 'image']?: bigint | undefined;
};

export interface ListedPrices {
  /** The model takes audio; without a price of its own, audio costs as much as text. */
  readonly hears: boolean;
  readonly base: ListedRates;
  /** By the input length above which they apply. */
  readonly longContexts: ReadonlyMap<number, ListedRates>;
  readonly serviceTiers: ReadonlyMap<string, ListedRates>;
  /** Dimensions that the catalog can't bill and calls can avoid. */
  readonly unpriced: Iterable<string>;
}

const MAX_THRESHOLD = 2_000_000_000;

/**
 * Returns the catalog's pricing and the dimensions that it can't bill. No usage is billed below the list's price:
 *
 * | in the list | result |
 * | --- | --- |
 * | no input or output price, or free output of a model with paid input (embeddings, routers) | rejected |
 * | several long-context thresholds | rejected |
 * | reasoning above output, or images above input: part of the counts that the catalog bills | rejected |
 * | reasoning below output | unpriced |
 * | no price of the audio that the model takes | that of text |
 * | a long context without the base's price of audio | the base's, or that of its text if it is higher |
 * | a cache price of 0 beside a paid input, which lists write for "none" | absent: the catalog bills input |
 * | a long context without the cache writes that the model prices above input | rejected; hour-long writes: unpriced |
 * | a service tier without input, output or such cache writes, or of a model with a long context, for which a tier of the catalog has no price | unpriced |
 *
 * @throws EntryRejected
 */
export function assemblePricing(listed: ListedPrices): {
  pricing: TokenPricing;
  unpriced: readonly string[];
} {
  const unpriced = new Set(listed.unpriced);
  if (listed.longContexts.size > 1) throw new EntryRejected('more than one long-context threshold');
  checkBase(listed.base);
  const hearsAsText = listed.hears && listed.base.audio_input === undefined;
  const base = toRates(listed.base, hearsAsText, unpriced);
  const [threshold] = listed.longContexts;
  const long_context = threshold && longRates(threshold, base, hearsAsText, unpriced);
  const pricing = {
    ...base,
    // A write that the long context doesn't price can't be sold to any call.
    ...(long_context && eachOf(lackedBy(long_context, base), undefined)),
    service_tiers: tierRates(listed.serviceTiers, base, long_context !== undefined, hearsAsText, unpriced),
    long_context,
  };
  return { pricing: mapTokenPricing(pricing, (nano) => nano), unpriced: [...unpriced] };
}

function checkBase({ input, output }: ListedRates): void {
  if (input === undefined) throw new EntryRejected('no input price');
  if (output === undefined) throw new EntryRejected('no output price');
  if (output === 0n && input > 0n) throw new EntryRejected(`${NOT_CHAT}: output is free and input is not`);
}

/** Rates of a list; undefined members are those that the catalog doesn't get. */
type KnownRates = { readonly [Rate in TokenRate]?: bigint | undefined };

function longRates(
  [aboveTokens, rates]: readonly [number, ListedRates],
  base: KnownRates,
  hearsAsText: boolean,
  unpriced: Set<string>,
): KnownRates & { readonly above_tokens: number } {
  if (!Number.isSafeInteger(aboveTokens) || aboveTokens < 1 || aboveTokens > MAX_THRESHOLD) {
    throw new EntryRejected('invalid long-context threshold');
  }
  // The catalog applies the base's input and output where the long context has none.
  const { input = base.input, output = base.output } = rates;
  const long = toRates({ ...rates, input, output }, hearsAsText, unpriced);
  if (lacksCacheWrite(long, base)) throw new EntryRejected('long context has no cache write price');
  for (const rate of lackedBy(long, base)) unpriced.add(rate);
  return {
    above_tokens: aboveTokens,
    ...long,
    audio_input: long.audio_input ?? higher(base.audio_input, long.input),
    audio_output: long.audio_output ?? higher(base.audio_output, long.output),
  };
}

/** Returns the rates of hour-long cache writes that the long context does not have. */
const lackedBy = (long: KnownRates, base: KnownRates): TokenRate[] =>
  LONG_WRITES.filter((rate) => base[rate] !== undefined && long[rate] === undefined);

/** Returns the higher price of audio; undefined if the model has none. */
const higher = (audio: bigint | undefined, text: bigint | undefined): bigint | undefined =>
  audio !== undefined && text !== undefined && text > audio ? text : audio;

function tierRates(
  tiers: ListedPrices['serviceTiers'],
  base: KnownRates,
  hasLongContext: boolean,
  hearsAsText: boolean,
  unpriced: Set<string>,
): Record<string, KnownRates> {
  const sold: [string, KnownRates][] = [];
  for (const [tier, listed] of tiers) {
    const rates = toRates(listed, hearsAsText, unpriced);
    const complete = rates.input !== undefined && rates.output !== undefined;
    if (complete && !hasLongContext && !lacksCacheWrite(rates, base)) sold.push([tier, rates]);
    else unpriced.add(`service tier ${tier}`);
  }
  return Object.fromEntries(sold);
}

/** Whether cache writes would be billed as input although they cost more. */
const lacksCacheWrite = (rates: KnownRates, base: KnownRates): boolean =>
  rates.cache_write === undefined && (base.cache_write ?? 0n) > (base.input ?? 0n);

function toRates(listed: ListedRates, hearsAsText: boolean, unpriced: Set<string>): KnownRates {
  const { reasoning = listed.output, image = 0n, ...rates } = listed;
  const { input, output } = rates;
  if (reasoning !== undefined && output !== undefined) {
    if (reasoning > output) throw new EntryRejected('reasoning costs more than output');
    if (reasoning < output) unpriced.add('reasoning');
  }
  if (image > (input ?? image)) throw new EntryRejected('image input costs more than text');
  for (const rate of AUDIO_INPUT) if (hearsAsText) rates[rate] ??= rates[TOKEN_RATES[rate].partOf!];
  const isSold = (rate: TokenRate): boolean =>
    !(CACHE.test(rate) && rates[rate] === 0n && input !== 0n) &&
    !(AUDIO_INPUT.includes(rate) && rates.audio_input === undefined);
  return Object.fromEntries(TOKEN_RATE_NAMES.filter(isSold).map((rate) => [rate, rates[rate]]));
}

const CACHE = /cache/;
const ratesFor = (wanted: CallNeed): readonly TokenRate[] =>
  TOKEN_RATE_NAMES.filter((rate) => TOKEN_RATES[rate].need === wanted);
const LONG_WRITES = ratesFor('longCache');
const AUDIO_INPUT = ratesFor('audioInput');
