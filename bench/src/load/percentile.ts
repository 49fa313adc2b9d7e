/** Returns the smallest value that at least the given fraction of all values does not exceed; NaN for no values. */
export function percentile(ascending: ArrayLike<number>, fraction: number): number {
  const rank = Math.max(1, Math.ceil(fraction * ascending.length));
  return ascending[rank - 1] ?? Number.NaN;
}
