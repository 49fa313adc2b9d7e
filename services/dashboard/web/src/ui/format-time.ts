const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const parts: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};

/** `21 Nov 2026, 22:49:01` in local time. */
export function formatTime(time: string | number, timeZone?: string): string {
  return new Date(time).toLocaleString('en-GB', { ...parts, timeZone });
}

/** `21 Nov 2026, 22:49:01 UTC`. */
export function formatUtc(time: string | number): string {
  return `${formatTime(time, 'UTC')} UTC`;
}

/** Formats UTC days of the API, `2026-11-21`, as `21 Nov`; with the year if the years differ. */
export function formatDays(days: readonly string[]): string[] {
  const isOneYear = new Set(days.map((day) => day.slice(0, 4))).size <= 1;
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(!isOneYear && { year: 'numeric' }),
    timeZone: 'UTC',
  });
  return days.map((day) => format.format(new Date(`${day}T00:00:00Z`)));
}

/** `just now`, `5 min ago`, `in 3 h`; the day from a week on. */
export function formatAgo(time: string | number, nowMs: number): string {
  const pastMs = nowMs - new Date(time).getTime();
  const distanceMs = Math.abs(pastMs);
  if (distanceMs < MINUTE_MS) return pastMs >= 0 ? 'just now' : 'in less than a minute';
  if (distanceMs >= 7 * DAY_MS) return formatTime(time).split(',')[0]!;
  const amount =
    distanceMs < HOUR_MS
      ? `${Math.floor(distanceMs / MINUTE_MS)} min`
      : distanceMs < DAY_MS
        ? `${Math.floor(distanceMs / HOUR_MS)} h`
        : `${Math.floor(distanceMs / DAY_MS)} d`;
  return pastMs >= 0 ? `${amount} ago` : `in ${amount}`;
}

/** `340 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
