import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '../api/client';

/** A paginated list of the API, for `DataTable`. */
export interface PagedList<T> {
  readonly rows: readonly T[];
  readonly isLoading: boolean;
  /** The rows are those of the previous filter; the new ones are loading. */
  readonly isStale: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  reload(): void;
}

/**
 * `usePagedList(['keys'], listKeys)`: the key names the list and its filters, as for any query. With `keepRows`, the
 * old rows stay until the new ones arrive; for keys in which only filters change.
 */
export function usePagedList<T>(
  queryKey: readonly unknown[],
  load: (cursor: string | undefined) => Promise<Page<T>>,
  options: { refetchIntervalMs?: number; keepRows?: boolean } = {},
): PagedList<T> {
  const query = useInfiniteQuery<
    Page<T>,
    Error,
    InfiniteData<Page<T>>,
    readonly unknown[],
    string | undefined
  >({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: options.refetchIntervalMs ?? false,
    ...(options.keepRows && { placeholderData: keepPreviousData }),
  });
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const isStale = query.isPlaceholderData;
  return {
    rows,
    // An empty result of the previous filter says nothing about this one.
    isLoading: query.isPending || (isStale && rows.length === 0),
    isStale,
    error: query.error,
    hasMore: query.hasNextPage && !isStale,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}
