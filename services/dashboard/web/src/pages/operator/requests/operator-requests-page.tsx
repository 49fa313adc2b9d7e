import { Anchor, Button, Group, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { Activity } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { type AnyRequestRecord, listAllRequests } from '../../../api/admin-requests';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { LOGGED_CODES } from '../../../ui/error-advice';
import { formatDuration } from '../../../ui/format-time';
import { HttpStatus } from '../../../ui/http-status';
import { Money } from '../../../ui/money';
import { PageHeader } from '../../../ui/page-header';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';
import { AccountLink } from '../account-link';
import { CellSelect } from '../cell-select';
import { useCell } from '../use-cell';

const PAGE_ROWS = 50;
const FILTERS = ['account_id', 'key_id', 'model', 'status', 'error_code'] as const;
type FilterName = (typeof FILTERS)[number];
const TEXT_FILTERS: readonly (readonly [FilterName, string, string])[] = [
  ['account_id', 'Account ID', 'acct_…'],
  ['key_id', 'Key ID', 'key_…'],
  ['model', 'Model', 'provider/model'],
];
const STATUSES = [
  { value: 'ok', label: 'Succeeded' },
  { value: 'failed', label: 'Failed' },
  { value: '499', label: 'Client disconnected' },
];

const COLUMNS: readonly Column<AnyRequestRecord>[] = [
  {
    title: 'Time',
    cell: ({ id, created_at }) => (
      <Anchor component={Link} to={`/operator/requests/${id}`} size="sm">
        <Time at={created_at} />
      </Anchor>
    ),
  },
  { title: 'Account', cell: ({ account_id }) => (account_id ? <AccountLink id={account_id} /> : '–') },
  {
    title: 'Status',
    cell: ({ status, error_code }) => (
      <Group gap="xs">
        <HttpStatus status={status} />
        {error_code && (
          <Text span size="xs" ff="monospace">
            {error_code}
          </Text>
        )}
      </Group>
    ),
  },
  { title: 'Model', cell: ({ model, endpoint }) => model ?? endpoint },
  { title: 'Cost', numeric: true, cell: ({ cost }) => <Money usd={cost} /> },
  {
    title: 'Duration',
    numeric: true,
    cell: ({ timings }) => (timings ? formatDuration(timings.total_ms) : '–'),
  },
];

/** Requests of all accounts, and a search by request ID. */
export function OperatorRequestsPage() {
  const [search, setSearch] = useSearchParams();
  const filter = Object.fromEntries(FILTERS.map((name) => [name, search.get(name) ?? '']));
  const change = (name: FilterName, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setSearch(next, { replace: true });
  };
  const cell = useCell();
  const list = usePagedList(
    ['admin', 'requests', filter, cell],
    (cursor) => listAllRequests({ ...filter, cell }, cursor, PAGE_ROWS),
    { keepRows: true },
  );
  return (
    <>
      <PageHeader
        title="All requests"
        description="Requests of every account, newest first. Prompts and replies aren’t kept."
      />
      <FindById />
      <SimpleGrid cols={cell ? { base: 2, md: 3, lg: 6 } : { base: 2, md: 5 }} spacing="sm" mb="md">
        {/* An account is in one cell, which need not be this one. */}
        <CellSelect
          {...(filter.account_id && { value: null, placeholder: 'Of the account', disabled: true })}
        />
        {TEXT_FILTERS.map(([name, label, placeholder]) => (
          <TextInput
            key={name}
            label={label}
            placeholder={placeholder}
            defaultValue={filter[name]}
            maxLength={128}
            spellCheck={false}
            onBlur={({ currentTarget }) => change(name, currentTarget.value.trim())}
            onKeyDown={({ key, currentTarget }) =>
              key === 'Enter' && change(name, currentTarget.value.trim())
            }
          />
        ))}
        <Select
          label="Status"
          placeholder="All"
          data={STATUSES}
          value={filter.status || null}
          onChange={(status) => change('status', status ?? '')}
          clearable
        />
        <Select
          label="Error"
          placeholder="Any error"
          data={[...LOGGED_CODES]}
          value={filter.error_code || null}
          onChange={(code) => change('error_code', code ?? '')}
          searchable
          clearable
        />
      </SimpleGrid>
      <DataTable
        label="Requests"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No requests" icon={Activity}>
            No request matches these filters.
          </EmptyState>
        }
      />
    </>
  );
}

function FindById() {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim()) void navigate(`/operator/requests/${encodeURIComponent(id.trim())}`);
  };
  return (
    <form onSubmit={find}>
      <Group align="flex-end" mb="md" gap="sm">
        <TextInput
          label="Request ID"
          description="The X-Request-Id header of a response"
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
          maxLength={128}
          spellCheck={false}
          w={{ base: '100%', sm: 360 }}
        />
        <Button type="submit" variant="default">
          Find request
        </Button>
      </Group>
    </form>
  );
}
