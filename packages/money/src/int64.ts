/** Returns a 64-bit integer for a message: a number where that is exact, because text costs several times as much to encode. */
export const toInt64 = (value: bigint): number | string =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
