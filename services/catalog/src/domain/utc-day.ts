const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns a UTC day, such as `2026-01-31`. @param offset 0: that of the time, -1: the day before */
export const utcDay = (atMs: number, offset = 0): string =>
  new Date(atMs + offset * DAY_MS).toISOString().slice(0, 10);
