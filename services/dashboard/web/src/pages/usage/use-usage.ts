import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { allKeysQuery, deletedKeyName } from '../../api/all-keys-query';
import { getUsage, type UsageRow } from '../../api/usage';
import { fillDays } from '../../ui/fill-days';
import { type GroupBy, namedDays, toQuery } from './usage-range';
import type { NamedUsage } from './usage-table-rows';

/** Days in order; models and keys by cost, highest first. */
export function useUsage(by: GroupBy, days: { from: string; to: string } | undefined) {
  const { from = '', to = '' } = days ?? {};
  const usage = useQuery({
    queryKey: ['usage', 'report', by, from, to],
    queryFn: async () => ({ by, from, to, rows: (await getUsage(toQuery(by, { from, to }))).data }),
    placeholderData: keepPreviousData,
    enabled: days !== undefined,
  });
  const keys = useQuery({ ...allKeysQuery, enabled: by === 'key' });
  const { data } = usage;
  const keyList = keys.data?.data;
  const rows = useMemo((): readonly NamedUsage[] | undefined => {
    // While another grouping loads, the old rows would be labeled wrongly.
    if (data?.by !== by) return undefined;
    if (by === 'day') return fillDays(data.rows, namedDays(data)).map((row) => named(row, row.group!));
    const names = new Map(keyList?.map(({ id, name }) => [id, name]));
    const nameOf = (group: string) => (by === 'model' ? group : (names.get(group) ?? deletedKeyName(group)));
    return data.rows
      .map((row) => named(row, row.group === null ? 'None' : nameOf(row.group)))
      .toSorted((one, other) => other.cost - one.cost || other.calls - one.calls);
  }, [data, by, keyList]);
  return {
    rows: by === 'key' && keys.isPending ? undefined : rows,
    error: usage.error ?? (by === 'key' ? keys.error : null),
    isStale: usage.isPlaceholderData,
    reload: () => {
      void usage.refetch();
      if (by === 'key') void keys.refetch();
    },
  };
}

const named = (row: UsageRow, name: string): NamedUsage => ({ ...row, id: row.group ?? '', name });
