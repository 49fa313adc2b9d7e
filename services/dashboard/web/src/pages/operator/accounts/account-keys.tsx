import { Code, Group, Stack, Text } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { listKeysOf } from '../../../api/admin-accounts';
import { allowlistLength } from '../../../api/allows-model';
import type { ApiKey } from '../../../api/keys';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { formatCount } from '../../../ui/format-count';
import { formatMoney } from '../../../ui/format-money';
import { StatusBadge } from '../../../ui/status-badge';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';
import { RevokeKey } from './revoke-key';

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    title: 'Key',
    cell: ({ name, hint }) => (
      <Group gap={6}>
        <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Code>…{hint}</Code>
      </Group>
    ),
  },
  { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Limits', cell: (key) => <Limits limits={limitsOf(key)} /> },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} relative /> },
  { title: 'Revoke', titleHidden: true, numeric: true, cell: (key) => <RevokeKey apiKey={key} /> },
];

export function AccountKeys({ accountId }: { accountId: string }) {
  const list = usePagedList(['admin', 'account', accountId, 'keys'], (cursor) =>
    listKeysOf(accountId, cursor),
  );
  return (
    <DataTable
      label="Keys of this account"
      columns={COLUMNS}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No keys" icon={KeyRound}>
          Members create the keys of their account.
        </EmptyState>
      }
    />
  );
}

function Limits({ limits }: { limits: readonly string[] }) {
  if (limits.length === 0) return <>None</>;
  return (
    <Stack gap={0}>
      {limits.map((limit) => (
        <Text key={limit} size="xs">
          {limit}
        </Text>
      ))}
    </Stack>
  );
}

function limitsOf(key: ApiKey): string[] {
  const { daily_limit, monthly_limit, request_cost_limit, rpm_limit, tpm_limit, allowed_models } = key;
  return [
    ...(daily_limit === null ? [] : [`${formatMoney(daily_limit)} per day`]),
    ...(monthly_limit === null ? [] : [`${formatMoney(monthly_limit)} per month`]),
    ...(request_cost_limit === null ? [] : [`${formatMoney(request_cost_limit)} per request`]),
    ...(rpm_limit === null ? [] : [`${formatCount(rpm_limit)} requests per minute`]),
    ...(tpm_limit === null ? [] : [`${formatCount(tpm_limit)} tokens per minute`]),
    ...(allowed_models.length === 0 ? [] : [allowlistLength(allowed_models)]),
  ];
}
