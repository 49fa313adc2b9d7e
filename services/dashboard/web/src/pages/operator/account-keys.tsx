import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { listKeysOf, revokeKey } from '../../api/admin-accounts';
import type { ApiKey } from '../../api/keys';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { formatCount } from '../../ui/format-count';
import { formatMoney } from '../../ui/format-money';
import { StatusBadge } from '../../ui/status-badge';
import { Time } from '../../ui/time';
import { usePagedList } from '../../ui/use-paged-list';

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
  { title: 'Revoke', titleHidden: true, numeric: true, cell: (key) => <Revoke apiKey={key} /> },
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
          The account’s members make their keys themselves.
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
    ...(daily_limit === null ? [] : [`${formatMoney(daily_limit)} a day`]),
    ...(monthly_limit === null ? [] : [`${formatMoney(monthly_limit)} a month`]),
    ...(request_cost_limit === null ? [] : [`${formatMoney(request_cost_limit)} a call`]),
    ...(rpm_limit === null ? [] : [`${formatCount(rpm_limit)} calls a minute`]),
    ...(tpm_limit === null ? [] : [`${formatCount(tpm_limit)} tokens a minute`]),
    ...(allowed_models.length === 0 ? [] : [`${formatCount(allowed_models.length)} models`]),
  ];
}

function Revoke({ apiKey: { id, name, status } }: { apiKey: ApiKey }) {
  const [opened, { open, close }] = useDisclosure();
  const queryClient = useQueryClient();
  if (status === 'revoked' || status === 'deleted') return null;
  const done = () => {
    notifications.show({ message: `The key ${name} is revoked.` });
    void queryClient.invalidateQueries();
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        c="var(--mantine-color-error)"
        onClick={open}
        aria-label={`Revoke key ${name}`}
      >
        Revoke
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Revoke the key ${name}?`}
        confirm="Revoke key"
        dangerous
        action={() => revokeKey(id)}
        onDone={done}
      >
        <Text size="sm" ta="left">
          For a key that has leaked. It is refused from the next call on, for good: the account can’t enable
          it again and has to make a new one.
        </Text>
      </ConfirmDialog>
    </>
  );
}
