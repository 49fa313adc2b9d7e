const MAX_DIGITS = 10;

/** Parses an integer as people type it: `128000`, `128,000`; returns undefined for anything else. */
export function parseCount(text: string): number | undefined {
  const digits = text.trim();
  if (!/^(\d+|\d{1,3}(,\d{3})+)$/.test(digits)) return undefined;
  const plain = digits.replaceAll(',', '');
  return plain.length <= MAX_DIGITS ? Number(plain) : undefined;
}
