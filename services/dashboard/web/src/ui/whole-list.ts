import type { UseQueryResult } from '@tanstack/react-query';
import type { PagedList } from './use-paged-list';

/** A complete list, for `DataTable`. */
export function wholeList<T>(rows: readonly T[], query?: UseQueryResult): PagedList<T> {
  return {
    rows,
    isLoading: query?.isPending ?? false,
    isStale: false,
    error: query?.error ?? null,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => {},
    reload: () => void query?.refetch(),
  };
}
