/** Cases whose calls are still being built, by what their names hold; each shows as a test to do. */
const AWAITED: readonly RegExp[] = [
  /account suspended/,
  /key disabled/,
  /key regenerated/,
  /rotated without grace/,
  /revoked as leaked/,
  /^account_daily_limit/,
  /chargeback/,
];

export function isAwaited(name: string): boolean {
  return AWAITED.some((pattern) => pattern.test(name));
}
