import { Text } from '@mantine/core';
import { ScrollText } from 'lucide-react';
import { listLedgerOf } from '../../../api/admin-accounts';
import type { LedgerEntry } from '../../../api/billing';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { Money } from '../../../ui/money';
import { NameWithId } from '../../../ui/name-with-id';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';

const KINDS: Readonly<Record<string, string>> = {
  charge: 'Charge',
  topup: 'Top-up',
  adjustment: 'Adjustment',
};

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Type', cell: ({ kind }) => KINDS[kind] ?? kind },
  { title: 'Reference', cell: ({ reference, note }) => <NameWithId reference={reference} note={note} /> },
  {
    title: 'Amount',
    numeric: true,
    cell: ({ amount }) => (
      <Text span size="sm" c={amount > 0 ? 'var(--mantine-color-teal-text)' : undefined}>
        {amount > 0 && '+'}
        <Money usd={amount} />
      </Text>
    ),
  },
];

export function AccountLedger({ accountId }: { accountId: string }) {
  const list = usePagedList(['admin', 'account', accountId, 'ledger'], (cursor) =>
    listLedgerOf(accountId, cursor),
  );
  return (
    <DataTable
      label="Ledger of this account"
      columns={COLUMNS}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No transactions yet" icon={ScrollText}>
          Top-ups, charges and adjustments appear here.
        </EmptyState>
      }
    />
  );
}
