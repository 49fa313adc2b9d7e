import { Button } from '@mantine/core';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { Activity, RefreshCw, Search } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { listRequests } from '../../api/requests';
import { DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';
import { usePagedList } from '../../ui/use-paged-list';
import { requestColumns } from './request-columns';
import { type LogFilter, readFilter, toParams, toQuery } from './request-filter';
import { RequestFilters } from './request-filters';
import { useKeyNames } from './use-key-names';

const PAGE_ROWS = 50;
const LIST = ['requests', 'log'];
const UNLISTED = 'Requests with a disabled, expired or unknown key are not listed.';

export function RequestsPage() {
  const [params, setParams] = useSearchParams();
  const { keys, nameOf } = useKeyNames();
  const filter = readFilter(params);
  const change = (changed: Partial<LogFilter>) =>
    setParams(toParams({ ...filter, ...changed }), { replace: true });
  const clear = () => setParams({}, { replace: true });
  const list = usePagedList(
    [...LIST, toParams(filter).toString()],
    (cursor) => listRequests(toQuery(filter, Date.now()), cursor, PAGE_ROWS),
    { keepRows: true },
  );
  const isFiltered = toParams(filter).size > 0;
  return (
    <>
      <PageHeader
        title="Requests"
        description="All requests with your keys, including rejected ones and videos in progress. Prompts and replies are not stored."
        actions={<Refresh />}
      />
      <RequestFilters filter={filter} keys={keys} onChange={change} onClear={clear} />
      <DataTable
        label="Requests"
        columns={useMemo(() => requestColumns(nameOf), [nameOf])}
        list={list}
        rowKey={({ id }) => id}
        empty={isFiltered ? <NoneFound onClear={clear} /> : <NoneYet />}
      />
    </>
  );
}

function Refresh() {
  const queryClient = useQueryClient();
  const isBusy = useIsFetching({ queryKey: LIST }) > 0;
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<RefreshCw size={14} aria-hidden />}
      disabled={isBusy}
      onClick={() => void queryClient.invalidateQueries({ queryKey: LIST })}
    >
      Refresh
    </Button>
  );
}

function NoneFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      title="No requests match these filters"
      icon={Search}
      action={
        <Button variant="default" size="xs" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      {UNLISTED}
    </EmptyState>
  );
}

function NoneYet() {
  return (
    <EmptyState
      title="No requests yet"
      icon={Activity}
      action={
        <Button component={Link} to="/" variant="default" size="xs">
          Make your first request
        </Button>
      }
    >
      Requests appear here within seconds, with their cost, tokens and duration. {UNLISTED}
    </EmptyState>
  );
}
