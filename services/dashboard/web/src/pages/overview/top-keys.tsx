import { useQuery } from '@tanstack/react-query';
import { allKeysQuery, deletedKeyName } from '../../api/all-keys-query';
import { TOP_ENTRIES, TopList } from './top-list';
import { useRecentUsage } from './use-recent-usage';

export function TopKeys({ days }: { days: number }) {
  const usage = useRecentUsage('key', days);
  const keys = useQuery(allKeysQuery);
  const names = new Map(keys.data?.data.map(({ id, name }) => [id, name]));
  const isKnown = !keys.isPending;
  const entries = usage.data?.data
    .flatMap(({ group, cost, calls }) =>
      group === null
        ? []
        : [
            {
              id: group,
              name: names.get(group) ?? deletedKeyName(group),
              to: `/keys/${group}`,
              cost,
              calls,
            },
          ],
    )
    .toSorted((one, other) => other.cost - one.cost || other.calls - one.calls)
    .slice(0, TOP_ENTRIES);
  return (
    <TopList
      title="Top keys"
      entries={isKnown ? entries : undefined}
      error={usage.error}
      onRetry={() => void usage.refetch()}
      empty="No requests in this period. The keys with the highest spend appear here."
    />
  );
}
