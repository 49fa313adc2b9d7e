import { CreditCard } from 'lucide-react';
import { listTopupsOf } from '../../../api/admin-accounts';
import type { Topup } from '../../../api/billing';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { Money } from '../../../ui/money';
import { NameWithId } from '../../../ui/name-with-id';
import { StatusBadge } from '../../../ui/status-badge';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';
import { PendingTopupActions } from '../money/pending-topup-actions';

const COLUMNS: readonly Column<Topup>[] = [
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Reference', cell: ({ id, reference }) => <NameWithId reference={id} note={reference} /> },
  { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Cleared',
    cell: ({ status, cleared_at }) => {
      if (status === 'voided') return 'Never';
      return cleared_at ? <Time at={cleared_at} relative /> : 'Not yet';
    },
  },
  { title: 'Amount', numeric: true, cell: ({ amount }) => <Money usd={amount} /> },
  {
    title: 'Clear or void',
    titleHidden: true,
    numeric: true,
    cell: (topup) => topup.status === 'pending' && <PendingTopupActions topup={topup} />,
  },
];

export function AccountTopups({ accountId }: { accountId: string }) {
  const list = usePagedList(['admin', 'account', accountId, 'topups'], (cursor) =>
    listTopupsOf(accountId, cursor),
  );
  return (
    <DataTable
      label="Top-ups of this account"
      columns={COLUMNS}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No top-ups" icon={CreditCard}>
          Use the button above to top up. Without a balance, requests are rejected.
        </EmptyState>
      }
    />
  );
}
