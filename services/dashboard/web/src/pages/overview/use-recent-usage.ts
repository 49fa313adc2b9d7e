import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getUsage, type UsageQuery } from '../../api/usage';

const DAY_MS = 86_400_000;
const REFETCH_INTERVAL_MS = 30_000;

export const fromDay = (days: number, nowMs: number): string =>
  new Date(nowMs - (days - 1) * DAY_MS).toISOString().slice(0, 10);

/** Usage of the last UTC days including today, refreshed while the page is visible. */
export function useRecentUsage(groupBy: UsageQuery['group_by'], days: number) {
  return useQuery({
    queryKey: ['usage', groupBy, days],
    queryFn: () => getUsage({ group_by: groupBy, from: fromDay(days, Date.now()) }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
}
