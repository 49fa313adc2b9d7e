/** Far beyond any call. A larger figure is a mistake, and its cost would not fit into an amount of money. */
const MAX_TOKENS = 100_000_000;

/** Undefined for what is no credible count. */
export function tokenFigure(value: unknown): number | undefined {
  const credible = Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
  return credible ? (value as number) : undefined;
}
