/** Formats 32 hex digits as a UUID. */
export const toUuid = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Converts an id to so many decimal digits; consecutive ids stay distinct. */
export function toDigits(id: string, digits: number): string {
  const lowest = 10n ** BigInt(digits - 1);
  return String(lowest + (BigInt(`0x${id}`) % (9n * lowest)));
}
