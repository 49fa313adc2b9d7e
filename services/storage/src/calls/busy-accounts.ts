/** Returns the accounts that have at least `max` of these runs. */
export function busyAccounts(running: Iterable<{ readonly accountId: string }>, max: number): string[] {
  const counts = new Map<string, number>();
  for (const { accountId } of running) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= max).map(([accountId]) => accountId);
}
