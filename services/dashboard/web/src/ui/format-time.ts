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

const MAX_RELATIVE_DAYS = 7;

/**
 * `just now`, `5 min ago`, `in 3 h`; the day from a week on. Past times are in full units; future times are rounded, so that
 * what was set to 7 days shows `in 7 d`.
 */
export function formatAgo(time: string | number, nowMs: number): string {
  const pastMs = nowMs - new Date(time).getTime();
  if (pastMs >= 0) {
    if (pastMs < MINUTE_MS) return 'just now';
    if (pastMs >= MAX_RELATIVE_DAYS * DAY_MS) return formatDay(time);
    return `${amountOf(pastMs, Math.floor)} ago`;
  }
  if (pastMs > -MINUTE_MS) return 'in less than a minute';
  return Math.round(-pastMs / DAY_MS) > MAX_RELATIVE_DAYS
    ? formatDay(time)
    : `in ${amountOf(-pastMs, Math.round)}`;
}

const formatDay = (time: string | number): string => formatTime(time).split(',')[0]!;

/** In the largest unit of which there is at least one after rounding. */
function amountOf(ms: number, round: (units: number) => number): string {
  const minutes = round(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  const hours = round(ms / HOUR_MS);
  return hours < 24 ? `${hours} h` : `${round(ms / DAY_MS)} d`;
}

/** `340 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  const tenths = (ms / 1_000).toFixed(1);
  if (Number(tenths) < 60) return `${tenths} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
