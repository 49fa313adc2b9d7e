import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { listRequests, type RequestRecord } from '../../api/requests';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { formatCount } from '../../ui/format-count';
import { HttpStatus } from '../../ui/http-status';
import { Money } from '../../ui/money';
import { RequestLink } from '../../ui/request-link';
import { Section } from '../../ui/section';
import { wholeList } from '../../ui/whole-list';

const SHOWN = 10;
const REFETCH_INTERVAL_MS = 5_000;

const COLUMNS: readonly Column<RequestRecord>[] = [
  { title: 'Time', cell: (request) => <RequestLink request={request} relative /> },
  { title: 'Model', cell: ({ model }) => model ?? '–' },
  {
    title: 'Status',
    cell: ({ status, error_code }) => (
      <HttpStatus status={status}>{error_code === null ? status : `${status} ${error_code}`}</HttpStatus>
    ),
  },
  { title: 'Input tokens', numeric: true, cell: ({ input_tokens }) => formatCount(input_tokens) },
  { title: 'Output tokens', numeric: true, cell: ({ output_tokens }) => formatCount(output_tokens) },
  {
    title: 'Cost',
    numeric: true,
    cell: ({ cost, in_progress }) => (in_progress ? '–' : <Money usd={cost} />),
  },
];

/** The latest requests of a key. */
export function KeyRequests({ keyId }: { keyId: string }) {
  const latest = useQuery({
    queryKey: ['requests', 'of-key', keyId],
    queryFn: () => listRequests({ key_id: keyId }, undefined, SHOWN),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const all = (
    <Anchor component={Link} to={`/requests?key_id=${encodeURIComponent(keyId)}`} size="sm">
      View all requests
    </Anchor>
  );
  return (
    <Section title="Latest requests" action={all}>
      <DataTable
        label="Latest requests of this key"
        columns={COLUMNS}
        list={wholeList(latest.data?.data ?? [], latest)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No requests yet">Requests with this key appear here within seconds.</EmptyState>
        }
      />
    </Section>
  );
}
