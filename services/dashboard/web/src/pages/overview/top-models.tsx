import { modelPath } from '../../api/models';
import { TOP_ENTRIES, TopList } from './top-list';
import { useRecentUsage } from './use-recent-usage';

export function TopModels({ days }: { days: number }) {
  const usage = useRecentUsage('model', days);
  const entries = usage.data?.data
    .flatMap(({ group, cost, calls }) =>
      group === null ? [] : [{ id: group, name: group, to: `/models/${modelPath(group)}`, cost, calls }],
    )
    .toSorted((one, other) => other.cost - one.cost || other.calls - one.calls)
    .slice(0, TOP_ENTRIES);
  return (
    <TopList
      title="Top models"
      entries={entries}
      error={usage.error}
      onRetry={() => void usage.refetch()}
      empty="No requests in this period. Your most used models appear here."
    />
  );
}
