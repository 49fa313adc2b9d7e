const DECIMAL = /^(0|[1-9]\d{0,8})(?:\.(\d{1,9}))?$/;

/** Returns the exact nano-USD of a decimal amount of USD such as `0.075`; undefined for an invalid amount. */
export function nanoFromDecimal(usd: string): bigint | undefined {
  const match = DECIMAL.exec(usd);
  if (!match) return undefined;
  return BigInt(match[1] ?? '0') * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}
