import { CreditCard } from 'lucide-react';
import { listTopups, type Topup } from '../../api/billing';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { Money } from '../../ui/money';
import { NameWithId } from '../../ui/name-with-id';
import { StatusBadge } from '../../ui/status-badge';
import { Time } from '../../ui/time';
import { usePagedList } from '../../ui/use-paged-list';

const COLUMNS: readonly Column<Topup>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Cleared',
    cell: ({ status, cleared_at }) => {
      if (status === 'voided') return 'Voided';
      return cleared_at ? <Time at={cleared_at} /> : 'Not yet available';
    },
  },
  { title: 'Reference', cell: ({ id, reference }) => <NameWithId reference={id} note={reference} /> },
  { title: 'Amount', numeric: true, cell: ({ amount }) => <Money usd={amount} /> },
];

export function TopupsTable() {
  const list = usePagedList(['billing', 'topups'], (cursor) => listTopups(cursor));
  return (
    <DataTable
      label="Top-ups"
      columns={COLUMNS}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No top-ups yet" icon={CreditCard}>
          The operator of this gateway adds top-ups. Send them your account ID, shown above.
        </EmptyState>
      }
    />
  );
}
