import { nanoPerMillion } from './amount';
import type { ListedPrices, ListedRates } from './assemble-pricing';
import { EntryRejected, isRecord } from './price-list';
import { isOfRegionOrMode, REGION_OR_MODE } from './region-or-mode';

type Entry = Readonly<Record<string, unknown>>;

/** Fields whose name says that they are a price. An unknown one is refused. */
const PRICE_FIELD = /cost|pric|(^|_)fees?(_|$)|multiplier|uplift|surcharge|discount|provider_specific/;
const TOKEN_PRICE = /^(.+?)(?:_above_(\d{1,6})k_tokens)?(?:_(flex|priority))?$/;

const RATE_OF_FIELD: ReadonlyMap<string, keyof ListedRates> = new Map([
  ['input_cost_per_token', 'input'],
  ['output_cost_per_token', 'output'],
  ['cache_read_input_token_cost', 'cache_read'],
  ['input_cost_per_token_cache_hit', 'cache_read'],
  ['cache_creation_input_token_cost', 'cache_write'],
  ['cache_creation_input_token_cost_above_1hr', 'cache_write_1h'],
  ['output_cost_per_reasoning_token', 'reasoning'],
  ['input_cost_per_image_token', 'image'],
  ['input_cost_per_audio_token', 'audio_input'],
  ['cache_read_input_audio_token_cost', 'audio_cache_read'],
  ['output_cost_per_audio_token', 'audio_output'],
]);

export const VIDEO_INPUT = 'video input';
/** Audio that has no price per token. */
const AUDIO_INPUT = 'audio input';

/** Known prices of what a text call can do without, by the dimension that an operator sees. */
const UNPRICED: readonly (readonly [RegExp, string])[] = [
  [/_batches$/, 'batches'],
  [/_(ultrafast|balanced|decisions)$/, 'service tier $1'],
  [/^cache_creation_input_token_cost_above_12hr/, 'cache_write_12h'],
  [/^explicit_cache_read_input_token_cost$/, 'explicit cache_read'],
  // Of audio in other units, beside or instead of the prices of its tokens.
  [/^(input_cost_per|cache_(read|creation)_input)_audio_/, AUDIO_INPUT],
  [/^input_cost_per_video_/, VIDEO_INPUT],
  [/^output_cost_per_(image|video)(_|$)/, '$1 output'],
  [/^search_context_cost_per_query$/, 'search'],
  [/^google_maps_grounding_cost_per_query$/, 'maps'],
  [/^code_interpreter_cost_per_session$/, 'code interpreter'],
  [/^provider_specific_entry$/, REGION_OR_MODE],
];

const NESTED_PRICES = ['tiered_pricing', 'off_peak_pricing'];

/** Databricks' units, beside the same prices in USD. */
const NOT_IN_USD = /^(input|output)_dbu_cost_per_token$/;

/**
 * Returns the prices of an entry of LiteLLM's list: USD per token, in fields whose suffixes name a long context
 * (`_above_200k_tokens`) and a service tier (`_flex`, `_priority`), or in `tiered_pricing`. The catalog bills the full price at all hours.
 * @throws EntryRejected that names the prices that are not known
 */
export function litellmPrices(entry: Entry): ListedPrices {
  const prices = new PriceCollector(entry.supports_audio_input === true);
  for (const [field, value] of Object.entries(entry)) {
    if (PRICE_FIELD.test(field) && !NESTED_PRICES.includes(field)) prices.add(field, value);
  }
  if (entry.tiered_pricing != null) prices.addTiers(entry.tiered_pricing);
  if (entry.off_peak_pricing != null) prices.checkOffPeak(entry.off_peak_pricing);
  const { unknown } = prices;
  if (unknown.length > 0)
    throw new EntryRejected(`unsupported price${unknown.length > 1 ? 's' : ''} ${unknown.join(', ')}`);
  return prices;
}

class PriceCollector implements ListedPrices {
  readonly base: ListedRates = {};
  readonly longContexts = new Map<number, ListedRates>();
  readonly serviceTiers = new Map<string, ListedRates>();
  readonly unpriced = new Set<string>();
  /** Names of prices that calls may not be able to avoid. */
  readonly unknown: string[] = [];
  readonly #takesAudio: boolean;

  constructor(takesAudio: boolean) {
    this.#takesAudio = takesAudio;
  }

  get hears(): boolean {
    return this.#takesAudio && !this.unpriced.has(AUDIO_INPUT);
  }

  add(field: string, value: unknown): void {
    if (value == null || NOT_IN_USD.test(field)) return;
    const [, stem = '', thousands, tier] = TOKEN_PRICE.exec(field) ?? [];
    const rate = RATE_OF_FIELD.get(stem);
    if (!rate) {
      this.#addUnpriced(field, value);
      return;
    }
    const aboveTokens = thousands === undefined ? undefined : Number(thousands) * 1_000;
    // A tier's long context makes a long context of the model, which excludes its tiers.
    const long = aboveTokens === undefined ? undefined : getOrAdd(this.longContexts, aboveTokens);
    const tierRates = tier === undefined ? undefined : getOrAdd(this.serviceTiers, tier);
    if (!long || !tierRates) setRate(tierRates ?? long ?? this.base, rate, field, value);
  }

  #addUnpriced(field: string, value: unknown): void {
    if (value === 0) return;
    if (isOfRegionOrMode(field)) {
      if (value !== 1) this.unpriced.add(REGION_OR_MODE);
      return;
    }
    for (const [pattern, dimension] of UNPRICED) {
      const match = pattern.exec(field);
      if (!match) continue;
      this.unpriced.add(dimension.replace('$1', match[1] ?? ''));
      return;
    }
    this.unknown.push(field);
  }

  /** Adds prices by input length: those of a range apply to all tokens of a call. */
  addTiers(tiers: unknown): void {
    if (Object.keys(this.base).length > 0 || this.longContexts.size > 0 || this.serviceTiers.size > 0) {
      throw new EntryRejected('tiered_pricing beside other token prices');
    }
    if (!Array.isArray(tiers) || tiers.length === 0) throw new EntryRejected('invalid tiered_pricing');
    let end: unknown = 0;
    for (const tier of tiers as unknown[]) {
      if (!isRecord(tier) || !Array.isArray(tier.range) || tier.range[0] !== end || typeof end !== 'number') {
        throw new EntryRejected('invalid tiered_pricing');
      }
      const rates = end === 0 ? this.base : getOrAdd(this.longContexts, end);
      for (const [field, value] of Object.entries(tier)) {
        const rate = RATE_OF_FIELD.get(field);
        if (rate) setRate(rates, rate, field, value);
        else if (field !== 'range') this.unknown.push(`tiered_pricing.${field}`);
      }
      end = tier.range[1];
    }
  }

  /** Accepts prices of some hours that are discounts. */
  checkOffPeak(offPeak: unknown): void {
    if (!isRecord(offPeak)) throw new EntryRejected('invalid off_peak_pricing');
    const rates: ListedRates = {};
    for (const [field, value] of Object.entries(offPeak)) {
      const rate = RATE_OF_FIELD.get(field);
      if (rate) setRate(rates, rate, field, value);
      else if (PRICE_FIELD.test(field)) this.unknown.push(`off_peak_pricing.${field}`);
    }
    for (const [rate, nano] of Object.entries(rates) as [keyof ListedRates, bigint][]) {
      const usual = this.base[rate];
      if (usual === undefined || nano > usual)
        throw new EntryRejected(`off-peak price of ${rate} above the usual`);
    }
    this.unpriced.add('off-peak discount');
  }
}

function setRate(rates: ListedRates, rate: keyof ListedRates, field: string, value: unknown): void {
  const nano = nanoPerMillion(value, 'usdPerToken');
  if (nano === undefined) throw new EntryRejected(`${field}: is not an amount of USD`);
  if (rates[rate] !== undefined && rates[rate] !== nano) throw new EntryRejected(`two prices for ${rate}`);
  rates[rate] = nano;
}

function getOrAdd<K>(map: Map<K, ListedRates>, key: K): ListedRates {
  const rates = map.get(key) ?? {};
  map.set(key, rates);
  return rates;
}
