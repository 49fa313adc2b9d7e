/** Largest value of Postgres's int8 and of int64 on the wire. */
export const MAX_INT8 = 2n ** 63n - 1n;

/** Largest single amount that is accepted, a billion USD, so that sums stay far inside int8. */
export const MAX_AMOUNT_NANO = 10n ** 18n;

export function minBigint(first: bigint, ...rest: readonly bigint[]): bigint {
  let least = first;
  for (const value of rest) if (value < least) least = value;
  return least;
}

export function maxBigint(first: bigint, second: bigint): bigint {
  return first > second ? first : second;
}
