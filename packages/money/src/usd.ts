/**
 * Returns an amount for JSON: USD as a number with at most nine decimals. Exact up to 2^53 nano-USD (about 9 million
 * USD), the nearest double beyond.
 */
export function usdFromNano(nano: bigint): number {
  return Number(decimalFromNano(nano));
}

/** Returns the decimal text of an amount: `1234567890n` → `'1.23456789'`. */
export function decimalFromNano(nano: bigint): string {
  const sign = nano < 0n ? '-' : '';
  const abs = nano < 0n ? -nano : nano;
  const fraction = (abs % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${abs / 1_000_000_000n}${fraction && `.${fraction}`}`;
}

/** Returns the response header with what the account is charged for a call. */
export const costHeader = (nano: bigint): Record<string, string> => ({
  'x-gateway-cost': decimalFromNano(nano),
});

/** Largest amount accepted from JSON. An int8 of nano-USD can store nine times as much, so sums may overflow. */
export const MAX_USD = 1_000_000_000;

/**
 * Returns the nano-USD of a JSON number, or undefined if it is not an amount: not finite, finer than a nano-USD (beyond
 * the precision of a double of that size), or above MAX_USD.
 */
export function nanoFromUsd(usd: number): bigint | undefined {
  if (!Number.isFinite(usd) || Math.abs(usd) > MAX_USD) return undefined;
  const nano = BigInt(Math.round(usd * 1e9));
  // Compared with the double's shortest decimal: 0.1 is 100000000 nano-USD, 1e-10 is not an amount.
  return Number(decimalFromNano(nano)) === usd ? nano : undefined;
}
