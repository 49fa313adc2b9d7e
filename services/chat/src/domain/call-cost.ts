import { GatewayError } from '@gateway/errors';
import type { TokenPrice } from './model';
import type { AudioTokens, TokenUsage, UnitCounts } from './usage';

const TOKENS_PER_PRICE = 1_000_000n;
const NO_AUDIO: AudioTokens = { input: 0, cacheRead: 0, output: 0 };

/**
 * Returns the cost in nano-USD, rounded up once. An absent cache price is the input price; an absent price of hour-long
 * writes is the price of writes. Audio costs its own prices; without them, as much as text.
 */
export function costOf(usage: TokenUsage, price: TokenPrice): bigint {
  const { cacheWriteLong = 0, audio = NO_AUDIO } = usage;
  const rates = ratesFor(usage.input + usage.cacheRead + usage.cacheWrite + cacheWriteLong, price);
  const cacheWriteNano = rates.cacheWriteNano ?? rates.inputNano;
  const cacheReadNano = rates.cacheReadNano ?? rates.inputNano;
  const total =
    BigInt(usage.input - audio.input) * rates.inputNano +
    BigInt(audio.input) * (rates.audioInputNano ?? rates.inputNano) +
    BigInt(usage.cacheRead - audio.cacheRead) * cacheReadNano +
    BigInt(audio.cacheRead) * (rates.audioCacheReadNano ?? rates.audioInputNano ?? cacheReadNano) +
    BigInt(usage.cacheWrite) * cacheWriteNano +
    BigInt(cacheWriteLong) * (rates.cacheWriteLongNano ?? cacheWriteNano) +
    BigInt(usage.output - audio.output) * rates.outputNano +
    BigInt(audio.output) * (rates.audioOutputNano ?? rates.outputNano);
  return ceilDiv(total, TOKENS_PER_PRICE) + unitsNano(usage.units, price);
}

/** Returns the cost of usage that is not counted in tokens. A unit without a price costs nothing. */
export function unitsNano(units: UnitCounts | undefined, { unitNano }: TokenPrice): bigint {
  let total = 0n;
  if (!units || !unitNano) return total;
  for (const [unit, count] of Object.entries(units)) total += BigInt(count) * (unitNano.get(unit) ?? 0n);
  return total;
}

/** Whether the model has a price for searches of the web. */
export const hasSearchPrice = ({ unitNano }: TokenPrice): boolean =>
  (unitNano?.has('web_search') || unitNano?.has('web_search_prompt')) ?? false;

/** What a call may use of the prices that most calls have no use for. */
export interface PricedNeeds {
  /** Asks for cache writes with a lifetime of an hour. */
  readonly longCache?: boolean;
  /** Its prompt may contain audio. */
  readonly hears?: boolean;
  /** Its reply is spoken. */
  readonly speaks?: boolean;
}

/**
 * Returns the price of one call, without the prices that it can't need: they would be its most expensive ones, and multiply its
 * bound for nothing.
 * @throws GatewayError `invalid_request` when it asks for hour-long cache writes and the model has no price for them
 */
export function callPrice(price: TokenPrice, needs: PricedNeeds): TokenPrice {
  if (needs.longCache && price.cacheWriteLongNano === undefined)
    throw new GatewayError('invalid_request', {
      detail: 'cache_control: this model does not support a ttl of 1h',
    });
  return onlyNeeded(price, needs);
}

function onlyNeeded(price: TokenPrice, needs: PricedNeeds): TokenPrice {
  const { cacheWriteLongNano, audioInputNano, audioCacheReadNano, audioOutputNano, longContext, ...usual } =
    price;
  return {
    ...usual,
    ...(needs.longCache && cacheWriteLongNano !== undefined && { cacheWriteLongNano }),
    ...(needs.hears && audioInputNano !== undefined && { audioInputNano }),
    ...(needs.hears && audioCacheReadNano !== undefined && { audioCacheReadNano }),
    ...(needs.speaks && audioOutputNano !== undefined && { audioOutputNano }),
    ...(longContext && { longContext: { ...longContext, price: onlyNeeded(longContext.price, needs) } }),
  };
}

/**
 * Returns the maximum cost of a call: its tokens at the highest rates that may apply.
 * @param audioTokens how many of the input tokens may be audio
 */
export function boundOf(
  inputTokens: number,
  outputTokens: number,
  price: TokenPrice,
  units?: UnitCounts,
  audioTokens = 0,
): bigint {
  const at = (rates: TokenPrice) =>
    inputBound(inputTokens, audioTokens, rates) + BigInt(outputTokens) * highestOutputRate(rates);
  const tokensNano = highest([at(price), at(ratesFor(inputTokens, price))]);
  return ceilDiv(tokensNano, TOKENS_PER_PRICE) + unitsNano(units, price);
}

/** Returns the maximum output tokens that `amountNano` covers beside that input and units; the inverse of `boundOf`. */
export function outputWithin(
  amountNano: bigint,
  inputTokens: number,
  price: TokenPrice,
  units?: UnitCounts,
  audioTokens = 0,
): number {
  const tokensNano = amountNano - unitsNano(units, price);
  const fit = (rates: TokenPrice) => {
    const left = tokensNano * TOKENS_PER_PRICE - inputBound(inputTokens, audioTokens, rates);
    const rate = highestOutputRate(rates);
    if (left < 0n) return 0;
    return rate === 0n ? Number.MAX_SAFE_INTEGER : Number(left / rate);
  };
  return Math.min(fit(price), fit(ratesFor(inputTokens, price)));
}

function ratesFor(inputTokens: number, price: TokenPrice): TokenPrice {
  const { longContext } = price;
  return longContext && inputTokens > longContext.aboveTokens ? longContext.price : price;
}

function inputBound(inputTokens: number, audioTokens: number, rates: TokenPrice): bigint {
  const textNano = highestInputRate(rates);
  const audioNano = highest([textNano, rates.audioInputNano, rates.audioCacheReadNano]);
  return BigInt(inputTokens - audioTokens) * textNano + BigInt(audioTokens) * audioNano;
}

const highestInputRate = (rates: TokenPrice): bigint =>
  highest([rates.inputNano, rates.cacheReadNano, rates.cacheWriteNano, rates.cacheWriteLongNano]);

const highestOutputRate = ({ outputNano, audioOutputNano }: TokenPrice): bigint =>
  highest([outputNano, audioOutputNano]);

const highest = (rates: readonly (bigint | undefined)[]): bigint =>
  rates.reduce<bigint>((most, rate = 0n) => (rate > most ? rate : most), 0n);

function ceilDiv(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}
