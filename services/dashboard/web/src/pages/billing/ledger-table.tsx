import { Anchor, Code, Text } from '@mantine/core';
import { ScrollText } from 'lucide-react';
import { Link } from 'react-router';
import { type LedgerEntry, listLedger } from '../../api/billing';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { Money } from '../../ui/money';
import { NameWithId } from '../../ui/name-with-id';
import { Time } from '../../ui/time';
import { usePagedList } from '../../ui/use-paged-list';

const KINDS: Readonly<Record<string, string>> = {
  charge: 'Charge',
  topup: 'Top-up',
  adjustment: 'Adjustment',
};

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Type', cell: ({ kind }) => KINDS[kind] ?? kind },
  { title: 'Reference', cell: (entry) => <Reference {...entry} /> },
  { title: 'Amount', numeric: true, cell: ({ amount }) => <Amount usd={amount} /> },
];

/** All changes of the balance, newest first. */
export function LedgerTable() {
  const list = usePagedList(['billing', 'ledger'], (cursor) => listLedger(cursor));
  return (
    <DataTable
      label="Ledger"
      columns={COLUMNS}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No transactions yet" icon={ScrollText}>
          Cleared top-ups appear here, and the charge of each completed request.
        </EmptyState>
      }
    />
  );
}

function Reference({ kind, reference, note, task_id }: LedgerEntry) {
  if (kind !== 'charge') return <NameWithId reference={reference} note={note} />;
  return (
    <>
      <Anchor component={Link} to={`/requests/${encodeURIComponent(reference)}`} size="sm">
        Request <Code style={{ overflowWrap: 'anywhere' }}>{reference}</Code>
      </Anchor>
      {task_id && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Video {task_id}
        </Text>
      )}
    </>
  );
}

function Amount({ usd }: { usd: number }) {
  return (
    <Text span size="sm" fw={500} c={usd > 0 ? 'teal' : undefined}>
      {usd > 0 && '+'}
      <Money usd={usd} />
    </Text>
  );
}
