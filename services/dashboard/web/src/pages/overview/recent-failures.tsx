import { Anchor, Code, Group, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { Link } from 'react-router';
import { listRequests, type RequestRecord } from '../../api/requests';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { HttpStatus } from '../../ui/http-status';
import { RequestLink } from '../../ui/request-link';
import { wholeList } from '../../ui/whole-list';

const SHOWN = 5;
const REFETCH_INTERVAL_MS = 15_000;

const COLUMNS: readonly Column<RequestRecord>[] = [
  { title: 'Time', cell: (request) => <RequestLink request={request} relative /> },
  { title: 'Model', cell: ({ model }) => model ?? '–' },
  { title: 'Error', cell: ({ error_code }) => <Code>{error_code}</Code> },
  {
    title: 'Status',
    numeric: true,
    cell: ({ status }) => <HttpStatus status={status} />,
  },
];

export function RecentFailures() {
  const latest = useQuery({
    queryKey: ['requests', 'failed'],
    queryFn: () => listRequests({ status: 'failed' }, undefined, SHOWN),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h5">
          Recent failed requests
        </Title>
        <Anchor component={Link} to="/requests?status=failed" size="sm">
          All failed requests
        </Anchor>
      </Group>
      <DataTable
        label="Recent failed requests"
        columns={COLUMNS}
        list={wholeList(latest.data?.data ?? [], latest)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No failures" icon={CircleCheck}>
            None of your requests failed.
          </EmptyState>
        }
      />
    </Paper>
  );
}
