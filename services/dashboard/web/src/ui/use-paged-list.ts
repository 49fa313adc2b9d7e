import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '../api/client';

/** A list of the API, page after page: what `DataTable` shows. */
export interface PagedList<T> {
  readonly rows: readonly T[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  reload(): void;
}

/** `usePagedList(['keys'], listKeys)`: the key names the list and its filters, as for any query. */
export function usePagedList<T>(
  queryKey: readonly unknown[],
  load: (cursor: string | undefined) => Promise<Page<T>>,
  options: { refetchIntervalMs?: number } = {},
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
  });
  return {
    rows: query.data?.pages.flatMap(({ data }) => data) ?? [],
    isLoading: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}
