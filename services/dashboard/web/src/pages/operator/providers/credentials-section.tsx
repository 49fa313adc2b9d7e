import { ActionIcon, Box, Button, Code, Group, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, KeyRound, Pencil, Plus, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  type CredentialHealth,
  deleteCredential,
  type Provider,
  updateCredential,
} from '../../../api/admin-providers';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { ErrorState } from '../../../ui/error-state';
import { formatCount } from '../../../ui/format-count';
import { Section } from '../../../ui/section';
import { Time } from '../../../ui/time';
import { wholeList } from '../../../ui/whole-list';
import { CredentialDialog } from './credential-dialog';
import { CostToday, Errors, LastFailure, Latency, RateLimits, StateCell } from './health-cells';
import { credentialState } from './provider-state';

const COLUMNS: readonly Column<CredentialHealth>[] = [
  {
    title: 'Credential',
    cell: ({ name, hint }) => (
      <Box miw={0}>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {hint && <Code style={{ overflowWrap: 'anywhere' }}>{hint}</Code>}
      </Box>
    ),
  },
  { title: 'Weight', numeric: true, cell: ({ weight }) => formatCount(weight) },
  { title: 'State', cell: (credential) => <State {...credential} /> },
  { title: 'Rate limits', cell: (credential) => <RateLimits {...credential} /> },
  { title: 'Last failure', cell: ({ last_failure }) => <LastFailure failure={last_failure} /> },
  { title: 'Requests', numeric: true, cell: ({ calls }) => formatCount(calls) },
  { title: 'Errors', numeric: true, cell: (credential) => <Errors {...credential} /> },
  {
    title: 'Cost today',
    numeric: true,
    cell: (credential) => <CostToday {...credential} />,
  },
  { title: 'Latency', numeric: true, cell: ({ latency }) => <Latency latency={latency} /> },
];

function State(credential: CredentialHealth) {
  const state = credentialState(credential);
  return (
    <>
      <StateCell state={state} />
      {state.status === 'cooling' && credential.cooling_until && (
        <Text size="xs" c="dimmed">
          Used again <Time at={credential.cooling_until} relative />
        </Text>
      )}
    </>
  );
}

interface CredentialsSectionProps {
  provider: Provider;
  onTest: (credentialId: string) => void;
  isTesting: boolean;
}

/** The credentials of a provider; those of the environment can't be changed here. */
export function CredentialsSection({ provider, onTest, isTesting }: CredentialsSectionProps) {
  const { id, source, credentials } = provider;
  const [edited, setEdited] = useState<CredentialHealth | 'new'>();
  const [disabled, setDisabled] = useState<CredentialHealth>();
  const [deleted, setDeleted] = useState<CredentialHealth>();
  const enabling = useEnabling(id);
  const isEditable = source === 'catalog';
  const actions: Column<CredentialHealth> = {
    title: 'Actions',
    titleHidden: true,
    numeric: true,
    cell: (credential) => (
      <Actions
        credential={credential}
        isTesting={isTesting}
        onTest={() => onTest(credential.id)}
        onEdit={() => setEdited(credential)}
        onToggle={() => (credential.enabled ? setDisabled(credential) : enabling.mutate(credential.id))}
        onDelete={() => setDeleted(credential)}
      />
    ),
  };
  const add = isEditable && (
    <Button
      variant="default"
      size="xs"
      leftSection={<Plus size={14} aria-hidden />}
      onClick={() => setEdited('new')}
    >
      Add credential
    </Button>
  );
  return (
    <Section
      title="Credentials"
      description={isEditable ? 'Requests are shared by weight' : 'Of the environment'}
      action={add}
    >
      {enabling.error && <ErrorState error={enabling.error} title="Credential not enabled" />}
      <DataTable
        label={`Credentials of ${id}`}
        columns={isEditable ? [...COLUMNS, actions] : COLUMNS}
        list={wholeList(credentials)}
        rowKey={(credential) => credential.id}
        empty={
          <EmptyState title="No credentials" icon={KeyRound}>
            The provider gets no requests without one.
          </EmptyState>
        }
      />
      <CredentialDialog providerId={id} credential={edited} onClose={() => setEdited(undefined)} />
      <DisableCredential providerId={id} credential={disabled} onClose={() => setDisabled(undefined)} />
      <DeleteCredential providerId={id} credential={deleted} onClose={() => setDeleted(undefined)} />
    </Section>
  );
}

interface ActionsProps {
  credential: CredentialHealth;
  isTesting: boolean;
  onTest: () => void;
  onEdit: () => void;
  onToggle: () => void;
  onDelete: () => void;
}

function Actions({ credential, isTesting, onTest, onEdit, onToggle, onDelete }: ActionsProps) {
  const { name, enabled } = credential;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Test ${name}`}
        disabled={isTesting || !enabled}
        onClick={onTest}
      >
        Test
      </Button>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <Ellipsis size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={14} aria-hidden />} onClick={onEdit}>
            Edit or replace secret
          </Menu.Item>
          <Menu.Item leftSection={<Power size={14} aria-hidden />} onClick={onToggle}>
            {enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<Trash2 size={14} aria-hidden />}
            onClick={onDelete}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function useEnabling(providerId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (credentialId: string) => updateCredential(providerId, credentialId, { enabled: true }),
    onSuccess: ({ name }) => {
      void queryClient.invalidateQueries({ queryKey: ['admin', 'providers'] });
      notifications.show({ message: `${name} is enabled.` });
    },
  });
}

interface ChangeProps {
  providerId: string;
  /** Undefined: closed. */
  credential: CredentialHealth | undefined;
  onClose: () => void;
}

function DisableCredential({ providerId, credential, onClose }: ChangeProps) {
  const queryClient = useQueryClient();
  const name = credential?.name ?? '';
  return (
    <ConfirmDialog
      opened={credential !== undefined}
      onClose={onClose}
      title={`Disable ${name}?`}
      confirm="Disable"
      action={async () => credential && updateCredential(providerId, credential.id, { enabled: false })}
      onDone={() => {
        notifications.show({ message: `${name} is disabled.` });
        void queryClient.invalidateQueries({ queryKey: ['admin', 'providers'] });
      }}
    >
      <Text size="sm">It gets no new requests within a second. You can enable it again.</Text>
    </ConfirmDialog>
  );
}

function DeleteCredential({ providerId, credential, onClose }: ChangeProps) {
  const queryClient = useQueryClient();
  const name = credential?.name ?? '';
  return (
    <ConfirmDialog
      opened={credential !== undefined}
      onClose={onClose}
      title={`Delete ${name}?`}
      confirm="Delete credential"
      dangerous
      action={async () => credential && deleteCredential(providerId, credential.id)}
      onDone={() => {
        notifications.show({ message: `${name} is deleted.` });
        void queryClient.invalidateQueries({ queryKey: ['admin', 'providers'] });
      }}
    >
      <Text size="sm">
        Its secret is deleted and can’t be restored. Requests in flight end normally; new ones use the other
        credentials.
      </Text>
    </ConfirmDialog>
  );
}
