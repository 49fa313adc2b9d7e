const DAY_MS = 86_400_000;

export type WindowKind = 'key_day' | 'key_month' | 'account_day';

/** Returns the next 00:00 UTC: the end of a daily window. */
export const nextUtcDayMs = (atMs: number): number => (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;

/** Returns 00:00 UTC on the first of the next month: the end of a monthly window. */
export function nextUtcMonthMs(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}

/** Returns the first day of a day's month, both `YYYY-MM-DD`. */
export const monthOf = (day: string): string => `${day.slice(0, -2)}01`;
