import type { UsageRow } from '../api/usage';

const DAY_MS = 86_400_000;

/** Returns the UTC days from the first to the last inclusive, as `2026-11-21`. */
export function utcDays(fromMs: number, toMs: number): string[] {
  const first = Math.floor(fromMs / DAY_MS);
  const last = Math.floor(toMs / DAY_MS);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Returns usage by day, including days without any. */
export function fillDays(rows: readonly UsageRow[], days: readonly string[]): UsageRow[] {
  const byDay = new Map(rows.map((row) => [row.group, row]));
  return days.map((day) => byDay.get(day) ?? { ...NOTHING, group: day });
}

const NOTHING = {
  calls: 0,
  errors: 0,
  input_tokens: 0,
  output_tokens: 0,
  images: 0,
  seconds: 0,
  cost: 0,
};
