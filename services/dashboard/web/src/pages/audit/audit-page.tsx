import { Stack, Text } from '@mantine/core';
import { ScrollText } from 'lucide-react';
import { type AuditEntry, listAudit } from '../../api/audit';
import { useMay } from '../../api/use-me';
import { AuditExport } from '../../ui/audit-export';
import { AuditOutcome } from '../../ui/audit-outcome';
import { type Column, DataTable } from '../../ui/data-table';
import { describeAction } from '../../ui/describe-action';
import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';
import { Time } from '../../ui/time';
import { usePagedList } from '../../ui/use-paged-list';
import { AuditChanges } from './audit-changes';
import { AuditSubject } from './audit-subject';
import { useSubjectNames } from './use-subject-names';

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Actor', cell: ({ actor, address }) => <Who {...actor} address={address} /> },
  { title: 'Action', cell: (entry) => <What {...entry} /> },
  { title: 'Changes', cell: ({ changes }) => <AuditChanges changes={changes} /> },
];

export function AuditPage() {
  const mayRead = useMay('owner');
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Logins and changes to the account by members and operators"
        actions={mayRead && <AuditExport path="audit" />}
      />
      {mayRead ? (
        <Entries />
      ) : (
        <EmptyState title="Only owners can read the audit log" icon={ScrollText}>
          Ask an owner of this account for access.
        </EmptyState>
      )}
    </>
  );
}

function Entries() {
  const list = usePagedList(['audit'], (cursor) => listAudit(cursor));
  // Wait for the names: rows would grow when they arrive.
  const { isLoading } = useSubjectNames();
  return (
    <DataTable
      label="Audit log"
      columns={COLUMNS}
      list={{ ...list, isLoading: list.isLoading || isLoading }}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No changes yet" icon={ScrollText}>
          Logins, new keys, changed limits and members appear here.
        </EmptyState>
      }
    />
  );
}

function Who({ email, operator, address }: AuditEntry['actor'] & Pick<AuditEntry, 'address'>) {
  const name = operator ? 'An operator' : (email ?? 'Unknown');
  return (
    <>
      <Text size="sm" maw={240} truncate title={name}>
        {name}
      </Text>
      {address && (
        <Text size="xs" c="dimmed" maw={240} truncate title={address}>
          {address}
        </Text>
      )}
    </>
  );
}

function What(entry: AuditEntry) {
  const { action, changes } = entry;
  return (
    <Stack gap={2} align="flex-start" miw={0}>
      <Text size="sm" fw={500}>
        {describeAction(action, changes)}
      </Text>
      <AuditSubject {...entry} />
      <AuditOutcome {...entry} />
    </Stack>
  );
}
