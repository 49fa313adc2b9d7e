import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { Link } from 'react-router';
import { getAccount, listPendingTopups } from '../../api/admin-accounts';
import type { Topup } from '../../api/billing';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { Money } from '../../ui/money';
import { Time } from '../../ui/time';
import { usePagedList } from '../../ui/use-paged-list';
import { ClearTopup } from './clear-topup';

const REFETCH_INTERVAL_MS = 15_000;

const COLUMNS: readonly Column<Topup>[] = [
  { title: 'Made', cell: ({ created_at }) => <Time at={created_at} relative /> },
  { title: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
  { title: 'Amount', numeric: true, cell: ({ amount }) => <Money usd={amount} /> },
  { title: 'Clear', titleHidden: true, numeric: true, cell: (topup) => <ClearTopup topup={topup} /> },
];

/** Of all accounts. */
export function PendingTopups() {
  const list = usePagedList(['admin', 'topups', 'pending'], listPendingTopups, {
    refetchIntervalMs: REFETCH_INTERVAL_MS,
  });
  return (
    <DataTable
      label="Pending top-ups"
      columns={COLUMNS}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No top-up is pending" icon={CircleCheck}>
          A top-up whose money has not arrived yet waits here until you clear it. You make one on the page of
          an account.
        </EmptyState>
      }
    />
  );
}

/** The list has ids only; each account is asked for once. */
function AccountLink({ id }: { id: string }) {
  const account = useQuery({
    queryKey: ['admin', 'account', id],
    queryFn: () => getAccount(id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Anchor component={Link} to={`/operator/accounts/${id}`} size="sm">
      {account.data?.name ?? id}
    </Anchor>
  );
}
