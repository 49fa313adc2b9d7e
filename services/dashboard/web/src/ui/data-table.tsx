import { Button, Center, Skeleton, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';
import { ErrorState } from './error-state';
import type { PagedList } from './use-paged-list';

const SKELETON_ROWS = 5;

export interface Column<T> {
  /** Also labels the value on phones, where each row is a card. */
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Right-aligned. */
  readonly numeric?: boolean;
  /** The title is only for screen readers; for a column of buttons. */
  readonly titleHidden?: boolean;
}

interface DataTableProps<T> {
  /** Describes the table. */
  label: string;
  columns: readonly Column<T>[];
  list: PagedList<T>;
  rowKey: (row: T) => string;
  /** An EmptyState. */
  empty: ReactNode;
}

/** A list with loading, error and empty states, and a button for the next page. */
export function DataTable<T>({ label, columns, list, rowKey, empty }: DataTableProps<T>) {
  if (list.error && list.rows.length === 0) return <ErrorState error={list.error} onRetry={list.reload} />;
  if (!list.isLoading && list.rows.length === 0) return empty;
  return (
    <Stack gap="sm">
      {list.error && (
        <ErrorState error={list.error} title="Could not update the list" onRetry={list.reload} />
      )}
      <div className={classes.frame}>
        <Table
          className={classes.table}
          verticalSpacing="xs"
          highlightOnHover
          aria-label={label}
          aria-busy={list.isLoading || list.isStale}
          mod={{ stale: list.isStale }}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, numeric, titleHidden }) => (
                <Table.Th key={title} className={numeric ? classes.numeric : undefined}>
                  {titleHidden ? <span className={classes.hidden}>{title}</span> : title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.isLoading
              ? skeletonRows(columns)
              : list.rows.map((row) => (
                  <Table.Tr key={rowKey(row)}>
                    {columns.map(({ title, cell, numeric, titleHidden }) => (
                      <Table.Td
                        key={title}
                        data-label={titleHidden ? undefined : title}
                        className={numeric ? classes.numeric : undefined}
                      >
                        {cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </div>
      {list.hasMore && (
        <Center>
          <Button variant="default" size="sm" loading={list.isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </Center>
      )}
    </Stack>
  );
}

function skeletonRows<T>(columns: readonly Column<T>[]) {
  return Array.from({ length: SKELETON_ROWS }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are identical, and no row has an index as its key.
    <Table.Tr key={`skeleton ${index}`}>
      {columns.map(({ title }) => (
        <Table.Td key={title}>
          <Skeleton height={22} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
