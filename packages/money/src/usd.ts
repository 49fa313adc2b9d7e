/**
 * Money in JSON: a number of USD with at most nine decimals. Exact up to 2^53 nano-USD (about 9 million
 * USD); past that the double nearest to it.
 */
export function usdFromNano(nano: bigint): number {
  return Number(decimalFromNano(nano));
}

/** `1234567890n` → `'1.23456789'`. */
export function decimalFromNano(nano: bigint): string {
  const sign = nano < 0n ? '-' : '';
  const abs = nano < 0n ? -nano : nano;
  const fraction = (abs % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${abs / 1_000_000_000n}${fraction && `.${fraction}`}`;
}

/** Largest amount that is accepted from JSON. An int8 of nano-USD holds nine of it: sums may be out of range. */
export const MAX_USD = 1_000_000_000;

/**
 * Nano-USD of a JSON number, or undefined when it is not an amount: not finite, finer than a nano-USD
 * (beyond what a double of that size can hold), or absurdly large.
 */
export function nanoFromUsd(usd: number): bigint | undefined {
  if (!Number.isFinite(usd) || Math.abs(usd) > MAX_USD) return undefined;
  const nano = BigInt(Math.round(usd * 1e9));
  // The shortest decimal of the double decides: 0.1 is 100000000 nano, 1e-10 is none.
  return Number(decimalFromNano(nano)) === usd ? nano : undefined;
}
