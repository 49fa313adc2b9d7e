import type { UsageQuery } from '../../api/usage';
import { utcDays } from '../../ui/fill-days';

const DAY_MS = 86_400_000;
/** The API's maximum range. */
export const MAX_DAYS = 1_000;

export const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: 'month', label: 'This month' },
  { value: 'custom', label: 'Custom' },
] as const;

export const GROUPS = [
  { value: 'day', label: 'Day' },
  { value: 'model', label: 'Model' },
  { value: 'key', label: 'Key' },
] as const;

export type GroupBy = 'day' | 'model' | 'key';

/** The range in the address. */
export interface UsageView {
  readonly by: GroupBy;
  readonly range: string;
  /** UTC days, for the range `custom`. */
  readonly from: string;
  readonly to: string;
}

export function readView(params: URLSearchParams): UsageView {
  const one = <T extends string>(known: readonly { value: T }[], name: string, usual: T): T =>
    known.find(({ value }) => value === params.get(name))?.value ?? usual;
  return {
    by: one(GROUPS, 'by', 'day'),
    range: one(RANGES, 'range', '30'),
    from: dayOf(params.get('from')),
    to: dayOf(params.get('to')),
  };
}

export function toParams({ by, range, from, to }: UsageView): URLSearchParams {
  const times = range === 'custom' ? { from, to } : {};
  const given = Object.entries({ by, range, ...times }).filter(([, value]) => value !== '');
  return new URLSearchParams(given);
}

/** Returns the first and last UTC day; undefined for a custom range that is incomplete or too long. */
export function daysOf(
  { range, from, to }: UsageView,
  nowMs: number,
): { from: string; to: string } | undefined {
  const today = toDay(nowMs);
  if (range === 'custom') {
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    return days >= 1 && days <= MAX_DAYS ? { from, to } : undefined;
  }
  if (range === 'month') return { from: `${today.slice(0, 8)}01`, to: today };
  return { from: toDay(nowMs - (Number(range) - 1) * DAY_MS), to: today };
}

export const toQuery = (by: GroupBy, days: { from: string; to: string }): UsageQuery => ({
  group_by: by,
  ...days,
});

export const namedDays = ({ from, to }: { from: string; to: string }): string[] =>
  utcDays(Date.parse(from), Date.parse(to));

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const dayOf = (text: string | null): string => (/^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? text! : '');
