import type { TokenPrice } from './model';
import type { TokenUsage } from './usage';

const TOKENS_PER_PRICE = 1_000_000n;

/** Cost in nano-USD, rounded up once. A cache price that the model lacks is the input price. */
export function costOf(usage: TokenUsage, price: TokenPrice): bigint {
  const total =
    BigInt(usage.input) * price.inputNano +
    BigInt(usage.cacheRead) * (price.cacheReadNano ?? price.inputNano) +
    BigInt(usage.cacheWrite) * (price.cacheWriteNano ?? price.inputNano) +
    BigInt(usage.output) * price.outputNano;
  return ceilDiv(total, TOKENS_PER_PRICE);
}

/** What a call can cost at most: its input at the dearest rate it could be counted at. */
export function boundOf(inputTokens: number, outputTokens: number, price: TokenPrice): bigint {
  const rates = [price.inputNano, price.cacheReadNano, price.cacheWriteNano];
  const dearest = rates.reduce<bigint>((most, rate) => (rate !== undefined && rate > most ? rate : most), 0n);
  return ceilDiv(BigInt(inputTokens) * dearest + BigInt(outputTokens) * price.outputNano, TOKENS_PER_PRICE);
}

function ceilDiv(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}
