import { GatewayError } from '@gateway/errors';
import type { TokenPrice } from './model';
import type { TokenUsage } from './usage';

const TOKENS_PER_PRICE = 1_000_000n;

/**
 * Cost in nano-USD, rounded up once. A cache price that the model lacks is the input price, that of a long
 * write the price of a write.
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
  return ceilDiv(total, TOKENS_PER_PRICE);
}

/**
 * The price of one call: without long cache writes, unless its provider is asked for them, because they would
 * be its dearest input and double its bound for nothing.
 * @throws GatewayError `invalid_request` when it asks for them and the model has no price for them
 */
export function callPrice(price: TokenPrice, longCache: boolean): TokenPrice {
  if (!longCache) return withoutLongCache(price);
  if (price.cacheWriteLongNano !== undefined) return price;
  throw new GatewayError('invalid_request', { detail: 'cache_control: this model offers no ttl of 1h' });
}

function withoutLongCache({ cacheWriteLongNano, longContext, ...price }: TokenPrice): TokenPrice {
  return {
    ...price,
    ...(longContext && { longContext: { ...longContext, price: withoutLongCache(longContext.price) } }),
  };
}

/** What a call can cost at most: its input at the dearest rate it could be counted at. */
export function boundOf(inputTokens: number, outputTokens: number, price: TokenPrice): bigint {
  const short = BigInt(inputTokens) * dearestInput(price) + BigInt(outputTokens) * price.outputNano;
  const rates = ratesFor(inputTokens, price);
  const long = BigInt(inputTokens) * dearestInput(rates) + BigInt(outputTokens) * rates.outputNano;
  return ceilDiv(long > short ? long : short, TOKENS_PER_PRICE);
}

/** Most output tokens that fit into `amountNano` beside that input; the inverse of `boundOf`. */
export function outputWithin(amountNano: bigint, inputTokens: number, price: TokenPrice): number {
  const fit = (rates: TokenPrice) => {
    const left = amountNano * TOKENS_PER_PRICE - BigInt(inputTokens) * dearestInput(rates);
    if (left < 0n) return 0;
    return rates.outputNano === 0n ? Number.MAX_SAFE_INTEGER : Number(left / rates.outputNano);
  };
  return Math.min(fit(price), fit(ratesFor(inputTokens, price)));
}

function ratesFor(inputTokens: number, price: TokenPrice): TokenPrice {
  const { longContext } = price;
  return longContext && inputTokens > longContext.aboveTokens ? longContext.price : price;
}

function dearestInput({ inputNano, cacheReadNano, cacheWriteNano, cacheWriteLongNano }: TokenPrice): bigint {
  const rates = [inputNano, cacheReadNano ?? 0n, cacheWriteNano ?? 0n, cacheWriteLongNano ?? 0n];
  return rates.reduce((dearest, rate) => (rate > dearest ? rate : dearest));
}

function ceilDiv(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}
