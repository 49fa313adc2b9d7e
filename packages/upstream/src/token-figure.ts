/** Far larger than any call. A larger figure is an error, and its cost would exceed the range of amounts. */
const MAX_TOKENS = 100_000_000;

/** Returns a number of tokens that a provider reports; undefined for an implausible one. */
export function tokenFigure(value: unknown): number | undefined {
  const isPlausible = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
  return isPlausible ? (value as number) : undefined;
}
