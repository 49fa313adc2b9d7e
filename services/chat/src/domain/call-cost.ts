import { GatewayError } from '@gateway/errors';
import type { TokenPrice } from './model';
import type { TokenUsage, UnitCounts } from './usage';

const TOKENS_PER_PRICE = 1_000_000n;

/**
 * Returns the cost in nano-USD, rounded up once. An absent cache price is the input price; an absent price of hour-long
 * writes is the price of writes.
 */
export function costOf(usage: TokenUsage, price: TokenPrice): bigint {
  const { cacheWriteLong = 0 } = usage;
  const rates = ratesFor(usage.input + usage.cacheRead + usage.cacheWrite + cacheWriteLong, price);
  const cacheWriteNano = rates.cacheWriteNano ?? rates.inputNano;
  const total =
    BigInt(usage.input) * rates.inputNano +
    BigInt(usage.cacheRead) * (rates.cacheReadNano ?? rates.inputNano) +
    BigInt(usage.cacheWrite) * cacheWriteNano +
    BigInt(cacheWriteLong) * (rates.cacheWriteLongNano ?? cacheWriteNano) +
    BigInt(usage.output) * rates.outputNano;
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

/**
 * Returns the price of one call. It excludes hour-long cache writes unless the call asks for them, because they would be its
 * most expensive input and double its bound for nothing.
 * @throws GatewayError `invalid_request` when it asks for them and the model has no price for them
 */
export function callPrice(price: TokenPrice, longCache: boolean): TokenPrice {
  if (!longCache) return withoutLongCache(price);
  if (price.cacheWriteLongNano !== undefined) return price;
  throw new GatewayError('invalid_request', {
    detail: 'cache_control: this model does not support a ttl of 1h',
  });
}

function withoutLongCache({ cacheWriteLongNano, longContext, ...price }: TokenPrice): TokenPrice {
  return {
    ...price,
    ...(longContext && { longContext: { ...longContext, price: withoutLongCache(longContext.price) } }),
  };
}

/** Returns the maximum cost of a call: its input at the highest rate that may apply. */
export function boundOf(
  inputTokens: number,
  outputTokens: number,
  price: TokenPrice,
  units?: UnitCounts,
): bigint {
  const short = BigInt(inputTokens) * highestInputRate(price) + BigInt(outputTokens) * price.outputNano;
  const rates = ratesFor(inputTokens, price);
  const long = BigInt(inputTokens) * highestInputRate(rates) + BigInt(outputTokens) * rates.outputNano;
  return ceilDiv(long > short ? long : short, TOKENS_PER_PRICE) + unitsNano(units, price);
}

/** Returns the maximum output tokens that `amountNano` covers beside that input and units; the inverse of `boundOf`. */
export function outputWithin(
  amountNano: bigint,
  inputTokens: number,
  price: TokenPrice,
  units?: UnitCounts,
): number {
  const tokensNano = amountNano - unitsNano(units, price);
  const fit = (rates: TokenPrice) => {
    const left = tokensNano * TOKENS_PER_PRICE - BigInt(inputTokens) * highestInputRate(rates);
    if (left < 0n) return 0;
    return rates.outputNano === 0n ? Number.MAX_SAFE_INTEGER : Number(left / rates.outputNano);
  };
  return Math.min(fit(price), fit(ratesFor(inputTokens, price)));
}

function ratesFor(inputTokens: number, price: TokenPrice): TokenPrice {
  const { longContext } = price;
  return longContext && inputTokens > longContext.aboveTokens ? longContext.price : price;
}

function highestInputRate({
  inputNano,
  cacheReadNano,
  cacheWriteNano,
  cacheWriteLongNano,
}: TokenPrice): bigint {
  const rates = [inputNano, cacheReadNano ?? 0n, cacheWriteNano ?? 0n, cacheWriteLongNano ?? 0n];
  return rates.reduce((highest, rate) => (rate > highest ? rate : highest));
}

function ceilDiv(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}
