/** Converts the value of a number input, which is a string if it is empty or too large to be exact. */
export function toAmount(written: number | string): number | null {
  if (written === '') return null;
  const amount = Number(written);
  return Number.isNaN(amount) ? null : amount;
}
