const DAY_MS = 86_400_000;

export type WindowKind = 'key_day' | 'key_month' | 'account_day';

/** 00:00 UTC after the given moment: the end of a daily window. */
export const nextUtcDayMs = (atMs: number): number => (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;

/** 00:00 UTC on the first of the month after the given moment: the end of a monthly window. */
export function nextUtcMonthMs(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}

/** The first day of a day's month, both `YYYY-MM-DD`. */
export const monthOf = (day: string): string => `${day.slice(0, -2)}01`;
