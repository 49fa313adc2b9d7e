import type { RequestFilter } from '../../api/requests';

/** The filter in the address; empty values match everything. */
export interface LogFilter {
  readonly range: string;
  /** Local date-times as the input has them; for the range `custom`. */
  readonly from: string;
  readonly to: string;
  readonly key_id: string;
  readonly model: string;
  readonly status: string;
  readonly error_code: string;
}

export type LogFilterName = keyof LogFilter;

export const RANGES: Readonly<Record<string, { readonly label: string; readonly ms?: number }>> = {
  '': { label: 'All time' },
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', ms: 30 * 86_400_000 },
  custom: { label: 'Between…' },
};

export const FILTER_NAMES: readonly LogFilterName[] = [
  'range',
  'from',
  'to',
  'key_id',
  'model',
  'status',
  'error_code',
];

export function readFilter(params: URLSearchParams): LogFilter {
  const entries = FILTER_NAMES.map((name) => [name, params.get(name) ?? '']);
  const filter: LogFilter = Object.fromEntries(entries);
  return { ...filter, range: filter.range in RANGES ? filter.range : '' };
}

export function toParams(filter: LogFilter): URLSearchParams {
  const isCustom = filter.range === 'custom';
  const given = FILTER_NAMES.filter(
    (name) => filter[name] !== '' && (isCustom || (name !== 'from' && name !== 'to')),
  );
  return new URLSearchParams(given.map((name) => [name, filter[name]]));
}

/** Returns the API's query. */
export function toQuery(filter: LogFilter, nowMs: number): RequestFilter {
  const { key_id, model, status, error_code } = filter;
  return { ...timesOf(filter, nowMs), key_id, model, status, error_code };
}

function timesOf({ range, from, to }: LogFilter, nowMs: number): Pick<RequestFilter, 'from' | 'to'> {
  if (range === 'custom') return { from: toTime(from), to: toTime(to) };
  const ms = RANGES[range]?.ms;
  return ms === undefined ? {} : { from: new Date(nowMs - ms).toISOString() };
}

function toTime(local: string): string | undefined {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
