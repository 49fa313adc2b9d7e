/** What is written in an input of numbers: it gives a text where it has no number (nothing), or one too large to be exact. */
export function toAmount(written: number | string): number | null {
  if (written === '') return null;
  const amount = Number(written);
  return Number.isNaN(amount) ? null : amount;
}
