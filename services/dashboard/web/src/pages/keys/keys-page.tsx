import { Anchor, Box, Button, Code, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { allowlistLength } from '../../api/allows-model';
import { keyState } from '../../api/key-state';
import { type ApiKey, listKeys, type NewApiKey } from '../../api/keys';
import { useMay } from '../../api/use-me';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';
import { StatusBadge } from '../../ui/status-badge';
import { Time } from '../../ui/time';
import { usePagedList } from '../../ui/use-paged-list';
import { AccountSettings } from './account-settings';
import { CreateKeyDialog } from './create-key-dialog';
import { KeyValueDialog } from './key-value-dialog';
import { limitsAtAGlance } from './limits-at-a-glance';

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    title: 'Name',
    cell: ({ id, name, hint }) => (
      <Stack gap={0} miw={0}>
        <Anchor component={Link} to={`/keys/${id}`} size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Anchor>
        <Text size="xs" c="dimmed" ff="monospace">
          sk-gw-…{hint}
        </Text>
      </Stack>
    ),
  },
  { title: 'Status', cell: (key) => <StatusBadge status={keyState(key, Date.now())} /> },
  { title: 'Limits', cell: (key) => <Limits apiKey={key} /> },
  { title: 'Models', cell: ({ allowed_models }) => <Models allowed={allowed_models} /> },
  { title: 'Expires', cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} relative /> : 'Never') },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} relative /> },
];

export function KeysPage() {
  const list = usePagedList(['keys', 'list'], (cursor) => listKeys(cursor));
  const mayChange = useMay('member');
  const [isCreating, creating] = useDisclosure();
  const [made, setMade] = useState<NewApiKey>();
  const create = mayChange && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={creating.open}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Keys"
        description="API keys authenticate your requests"
        actions={list.rows.length > 0 && create}
      />
      <DataTable
        label="Keys"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No keys yet" icon={KeyRound} action={create}>
            {mayChange
              ? 'Create one key per application, so that each has its own limits and usage.'
              : 'Members and owners of this account can create them.'}
          </EmptyState>
        }
      />
      <Box mt="lg">
        <AccountSettings />
      </Box>
      <CreateKeyDialog opened={isCreating} onClose={creating.close} onCreated={setMade} />
      <KeyValueDialog made={made} onClose={() => setMade(undefined)} />
    </>
  );
}

function Limits({ apiKey }: { apiKey: ApiKey }) {
  const limits = limitsAtAGlance(apiKey);
  return (
    <Text size="sm" c={limits.length === 0 ? 'dimmed' : undefined}>
      {limits.length === 0 ? 'None' : limits.join(' · ')}
    </Text>
  );
}

function Models({ allowed }: { allowed: readonly string[] }) {
  const [only] = allowed;
  if (!only) return 'All';
  return allowed.length === 1 ? (
    <Code>{only}</Code>
  ) : (
    <span title={allowed.join('\n')}>{allowlistLength(allowed)}</span>
  );
}
