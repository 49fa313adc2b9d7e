/** The smallest value that at least the given share of all values does not exceed; NaN of none. */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(share * ascending.length));
  return ascending[rank - 1] ?? Number.NaN;
}
