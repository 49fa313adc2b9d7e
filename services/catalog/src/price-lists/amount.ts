import { ceilDiv } from '@gateway/pricing';

/** The largest amount of the catalog's decimals: below a billion USD. */
export const MAX_NANO = 999_999_999_999_999_999n;
const MAX_USD = 1e9;

/** The decimal exponent that converts an amount of USD to nano-USD per million tokens. */
const UNIT_EXPONENT = { usdPerMillion: 9, usdPerToken: 15 } as const;
type AmountUnit = keyof typeof UNIT_EXPONENT;

const NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * Returns the nano-USD per million tokens of a JSON number. Exact for the shortest decimal that denotes the number, which has
 * up to 17 digits (`2.5e-06` per token is 2,500,000,000); digits beyond a nano-USD are rounded up, so that no price is below the
 * list's. Undefined for anything else: text, a negative or infinite number, an amount above MAX_NANO.
 */
export function nanoPerMillion(amount: unknown, unit: AmountUnit): bigint | undefined {
  // The first bound also keeps the powers of ten small.
  if (typeof amount !== 'number' || !(amount >= 0 && amount < MAX_USD)) return undefined;
  const match = NUMBER.exec(String(amount));
  if (!match) return undefined;
  const [, whole = '', fraction = '', power = '0'] = match;
  const digits = BigInt(whole + fraction);
  const exponent = Number(power) - fraction.length + UNIT_EXPONENT[unit];
  const nano = exponent >= 0 ? digits * 10n ** BigInt(exponent) : ceilDiv(digits, 10n ** BigInt(-exponent));
  return nano <= MAX_NANO ? nano : undefined;
}
