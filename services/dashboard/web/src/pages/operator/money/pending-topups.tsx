import { Stack } from '@mantine/core';
import { CircleCheck } from 'lucide-react';
import { listPendingTopups } from '../../../api/admin-accounts';
import type { Topup } from '../../../api/billing';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { Money } from '../../../ui/money';
import { NameWithId } from '../../../ui/name-with-id';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';
import { AccountLink } from '../account-link';
import { CellSelect } from '../cell-select';
import { useCell } from '../use-cell';
import { PendingTopupActions } from './pending-topup-actions';

const REFETCH_INTERVAL_MS = 15_000;

const COLUMNS: readonly Column<Topup>[] = [
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} relative /> },
  { title: 'Account', cell: ({ account_id }) => <AccountLink id={account_id} /> },
  { title: 'Reference', cell: ({ id, reference }) => <NameWithId reference={id} note={reference} /> },
  { title: 'Amount', numeric: true, cell: ({ amount }) => <Money usd={amount} /> },
  {
    title: 'Clear or void',
    titleHidden: true,
    numeric: true,
    cell: (topup) => <PendingTopupActions topup={topup} />,
  },
];

/** Pending top-ups of all accounts of a cell. */
export function PendingTopups() {
  const cell = useCell();
  const list = usePagedList(
    ['admin', 'topups', 'pending', cell],
    (cursor) => listPendingTopups(cell, cursor),
    { refetchIntervalMs: REFETCH_INTERVAL_MS },
  );
  return (
    <Stack>
      <CellSelect w={140} />
      <DataTable
        label="Pending top-ups"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No pending top-ups" icon={CircleCheck}>
            Top-ups whose payment hasn’t arrived wait here until you clear or void them. Create top-ups on the
            page of an account.
          </EmptyState>
        }
      />
    </Stack>
  );
}
