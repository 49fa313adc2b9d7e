const AMOUNT = /^(-?)(\d{1,12}|[1-9]\d{0,2}(?:,\d{3}){1,3})(?:\.(\d{1,9}))?$/;

/**
 * What a person types as an amount: `12.50`, `$1,000`, `-3`; undefined for what is none, such as a decimal comma, or has over
 * nine decimals.
 */
export function parseUsd(text: string): number | undefined {
  const match = AMOUNT.exec(text.trim().replace(/^(-?)\$/, '$1'));
  if (!match) return undefined;
  const [, sign, whole = '', decimals] = match;
  return Number(`${sign}${whole.replaceAll(',', '')}.${decimals ?? '0'}`);
}
