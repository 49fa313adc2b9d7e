const AMOUNT = /^(-?)(\d{1,12}|[1-9]\d{0,2}(?:,\d{3}){1,3})(?:\.(\d{1,9}))?$/;

/**
 * Parses an amount as people type it: `12.50`, `$1,000`, `-3`; returns undefined for anything else, such as a decimal
 * comma or more than nine decimals.
 */
export function parseUsd(text: string): number | undefined {
  const match = AMOUNT.exec(text.trim().replace(/^(-?)\$/, '$1'));
  if (!match) return undefined;
  const [, sign, whole = '', decimals] = match;
  return Number(`${sign}${whole.replaceAll(',', '')}.${decimals ?? '0'}`);
}
