import { Anchor, Box, Code, Text } from '@mantine/core';
import { ScrollText } from 'lucide-react';
import { Link } from 'react-router';
import { type AnyAuditEntry, listAllAudit } from '../../../api/admin-accounts';
import { AuditOutcome } from '../../../ui/audit-outcome';
import { type Column, DataTable } from '../../../ui/data-table';
import { describeAction } from '../../../ui/describe-action';
import { EmptyState } from '../../../ui/empty-state';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';

const MAX_ID_CHARS = 20;
const ID_END_CHARS = 8;

const WHEN: Column<AnyAuditEntry> = {
  title: 'Time',
  cell: ({ created_at }) => <Time at={created_at} relative />,
};
const WHO: Column<AnyAuditEntry> = {
  title: 'Actor',
  cell: ({ actor }) => (
    <Box miw={0}>
      <Text size="sm" style={{ overflowWrap: 'break-word' }}>
        {actor.email ?? 'Unknown'}
      </Text>
      {actor.operator && (
        <Text size="xs" c="dimmed">
          Operator
        </Text>
      )}
    </Box>
  ),
};
const ACCOUNT: Column<AnyAuditEntry> = {
  title: 'Account',
  cell: ({ account_id }) =>
    account_id ? (
      <Anchor component={Link} to={`/operator/accounts/${account_id}`} size="sm">
        <ShortId id={account_id} />
      </Anchor>
    ) : (
      'The gateway'
    ),
};
const WHAT: readonly Column<AnyAuditEntry>[] = [
  {
    title: 'Action',
    cell: (entry) => (
      <Box miw={0}>
        <Text size="sm">{describeAction(entry.action, entry.changes)}</Text>
        <AuditOutcome {...entry} />
      </Box>
    ),
  },
  {
    title: 'Subject',
    cell: ({ subject }) =>
      subject ? (
        <Code>
          <ShortId id={subject} />
        </Code>
      ) : (
        '–'
      ),
  },
  { title: 'Changes', cell: ({ changes }) => <Changes changes={changes} /> },
];

/** The audit log of all accounts or of one, newest first. */
export function AuditList({ accountId }: { accountId: string }) {
  const list = usePagedList(['admin', 'audit', accountId], (cursor) => listAllAudit(accountId, cursor));
  return (
    <DataTable
      label={accountId ? 'Audit log of this account' : 'Audit log'}
      columns={accountId ? [WHEN, WHO, ...WHAT] : [WHEN, WHO, ACCOUNT, ...WHAT]}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No changes" icon={ScrollText}>
          Changes by members and operators appear here.
        </EmptyState>
      }
    />
  );
}

/** Ids differ at their end, so their start is cut; slugs are shown in full. */
function ShortId({ id }: { id: string }) {
  const isLong = !id.includes('/') && id.length > MAX_ID_CHARS;
  return (
    <span title={id} style={{ whiteSpace: isLong ? 'nowrap' : undefined }}>
      {isLong ? `${/^[a-z]+_/.exec(id)?.[0] ?? ''}…${id.slice(-ID_END_CHARS)}` : id}
    </span>
  );
}

function Changes({ changes }: { changes: unknown }) {
  if (typeof changes !== 'object' || changes === null) return '–';
  const text = Object.entries(changes)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return (
    <Text size="xs" lineClamp={3} title={text} maw={320} style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  );
}
