import { Alert, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleSlash, TrendingDown } from 'lucide-react';
import { getAbandonedCost, listLossesOf, type OperatorLoss } from '../../../api/admin-accounts';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { Money } from '../../../ui/money';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';

const REASONS: Readonly<Record<string, string>> = {
  abandoned: 'Client disconnected before the reply',
  usage_unknown: 'Provider reported no usage',
  owner_killed: 'Gateway process was killed',
  over_hold: 'Cost above the hold',
  lost: 'Outcome unknown',
  expired: 'Hold expired',
  late_final: 'Correction of an earlier loss',
};

const COLUMNS: readonly Column<OperatorLoss>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Reason', cell: ({ reason }) => REASONS[reason] ?? reason },
  {
    title: 'Request',
    cell: ({ request_id }) => <Code style={{ overflowWrap: 'anywhere' }}>{request_id}</Code>,
  },
  { title: 'Amount', numeric: true, cell: ({ amount }) => <Money usd={amount} /> },
];

/** Costs of the account's requests that could not be charged and that the operator pays. */
export function AccountLosses({ accountId }: { accountId: string }) {
  const list = usePagedList(['admin', 'account', accountId, 'losses'], (cursor) =>
    listLossesOf(accountId, cursor),
  );
  return (
    <Stack>
      <AbandonedCalls accountId={accountId} />
      <DataTable
        label="Operator losses of this account"
        columns={COLUMNS}
        list={list}
        rowKey={({ request_id, created_at }) => `${request_id} ${created_at}`}
        empty={
          <EmptyState title="No losses" icon={TrendingDown}>
            Every request of this account was charged in full.
          </EmptyState>
        }
      />
    </Stack>
  );
}

function AbandonedCalls({ accountId }: { accountId: string }) {
  const { data } = useQuery({
    queryKey: ['admin', 'account', accountId, 'abandoned'],
    queryFn: () => getAbandonedCost(accountId),
  });
  if (!data) return null;
  const cost = (
    <Text size="sm">
      Requests that could not be charged cost <Money usd={data.last_hour} /> in the last hour. The limit is{' '}
      <Money usd={data.limit} />.
    </Text>
  );
  if (data.limited_until === null) return cost;
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<CircleSlash size={18} aria-hidden />}
      title="New requests are rejected"
    >
      {cost}
      <Text size="sm">
        They are accepted again at <Time at={data.limited_until} />.
      </Text>
    </Alert>
  );
}
