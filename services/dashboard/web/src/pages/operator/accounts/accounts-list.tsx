import { Anchor, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search, SearchX, Users } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import { type Account, listAccounts } from '../../../api/admin-accounts';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { Money } from '../../../ui/money';
import { StatusBadge } from '../../../ui/status-badge';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';
import { CellSelect } from '../cell-select';
import { useCell } from '../use-cell';

const TYPING_MS = 300;
const MAX_QUERY_CHARS = 200;

const COLUMNS: readonly Column<Account>[] = [
  {
    title: 'Account',
    cell: ({ id, name, owner_email }) => (
      <Box miw={0}>
        <Anchor component={Link} to={`/operator/accounts/${id}`} size="sm" fw={500}>
          {name}
        </Anchor>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {owner_email ?? 'No owner'}
        </Text>
      </Box>
    ),
  },
  { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Balance', numeric: true, cell: ({ balance }) => <Money usd={balance} /> },
  { title: 'Reserved', numeric: true, cell: ({ held }) => <Money usd={held} /> },
  {
    title: 'Available',
    numeric: true,
    cell: ({ available }) => (
      <Text span size="sm" c={available < 0 ? 'var(--mantine-color-error)' : undefined}>
        <Money usd={available} />
      </Text>
    ),
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} relative /> },
];

export function AccountsList({ onNew }: { onNew: () => void }) {
  const [search, setSearch] = useSearchParams();
  const query = search.get('query') ?? '';
  const cell = useCell();
  const list = usePagedList(
    ['admin', 'accounts', query, cell],
    (cursor) => listAccounts(query, cell, cursor),
    { keepRows: true },
  );
  const searchFor = useDebouncedCallback(
    (query: string) => setSearch(query.trim() ? { query: query.trim() } : {}, { replace: true }),
    TYPING_MS,
  );
  return (
    <Stack>
      <Group align="flex-end" gap="sm">
        <CellSelect w={140} />
        <TextInput
          aria-label="Search accounts"
          placeholder="Name, email or ID"
          defaultValue={query}
          onChange={(event) => searchFor(event.currentTarget.value)}
          leftSection={<Search size={16} aria-hidden />}
          maxLength={MAX_QUERY_CHARS}
          flex="1 1 160px"
          maw={360}
          type="search"
        />
      </Group>
      <DataTable
        label="Accounts"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={query ? <NothingFound query={query} cell={cell} /> : <NoAccounts onNew={onNew} />}
      />
    </Stack>
  );
}

function NothingFound({ query, cell }: { query: string; cell: string | undefined }) {
  return (
    <EmptyState title={`No account${cell ? ` of cell ${cell}` : ''} matches “${query}”`} icon={SearchX}>
      Search by any part of a name or email, or by a complete ID.
    </EmptyState>
  );
}

function NoAccounts({ onNew }: { onNew: () => void }) {
  return (
    <EmptyState title="No accounts yet" icon={Users} action={<Button onClick={onNew}>New account</Button>}>
      Accounts are created at sign-up, or by you.
    </EmptyState>
  );
}
