import { Alert, Anchor, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, Info, Trash2 } from 'lucide-react';
import { Link, useNavigate, useParams } from 'react-router';
import {
  deleteProvider,
  type ProbeSubject,
  type Provider,
  testProvider,
  updateProvider,
} from '../../../api/admin-providers';
import { ConfirmButton } from '../../../ui/confirm-button';
import { EmptyState } from '../../../ui/empty-state';
import { ErrorState } from '../../../ui/error-state';
import { PageHeader } from '../../../ui/page-header';
import { StatusBadge } from '../../../ui/status-badge';
import { CredentialsSection } from './credentials-section';
import { kindName } from './kind-name';
import { ProbeOutcome } from './probe-outcome';
import { providerPath } from './provider-columns';
import { providerState } from './provider-state';
import { providersQuery } from './providers-query';
import { SettingsSection } from './settings-section';
import { TargetsSection } from './targets-section';

/** A provider: its credentials, targets and settings. */
export function ProviderPage() {
  const { id = '' } = useParams();
  const providers = useQuery(providersQuery);
  const provider = providers.data?.data.find((one) => one.id === id);
  return (
    <>
      <Anchor component={Link} to="/operator/providers" size="sm">
        All providers
      </Anchor>
      {provider ? (
        <Found key={id} provider={provider} refreshError={providers.error} />
      ) : (
        <>
          <PageHeader title={id} />
          {providers.data ? (
            <EmptyState
              title="No such provider"
              action={
                <Button component={Link} to={`/operator/providers/new?id=${encodeURIComponent(id)}`}>
                  Connect provider
                </Button>
              }
            />
          ) : providers.error ? (
            <ErrorState error={providers.error} onRetry={() => void providers.refetch()} />
          ) : (
            <Loading />
          )}
        </>
      )}
    </>
  );
}

function Found({ provider, refreshError }: { provider: Provider; refreshError: Error | null }) {
  const { id, name, source } = provider;
  const test = useMutation({ mutationFn: (subject: ProbeSubject) => testProvider(id, subject) });
  return (
    <>
      <PageHeader
        title={name ?? id}
        description={<Description provider={provider} />}
        actions={<Actions provider={provider} isTesting={test.isPending} onTest={() => test.mutate({})} />}
      />
      <Stack>
        {refreshError && <ErrorState error={refreshError} title="Could not refresh" />}
        <Notice provider={provider} />
        <ProbeOutcome
          isPending={test.isPending}
          result={test.data}
          error={test.error}
          model={test.variables?.model}
          onRetry={() => test.mutate(test.variables ?? {})}
        />
        {(source === 'catalog' || provider.credentials.length > 0) && (
          <CredentialsSection
            provider={provider}
            isTesting={test.isPending}
            onTest={(credential_id) => test.mutate({ credential_id })}
          />
        )}
        <TargetsSection
          provider={provider}
          isTesting={test.isPending}
          onTest={(model) => test.mutate({ model })}
        />
        {source === 'catalog' && <SettingsSection provider={provider} />}
      </Stack>
    </>
  );
}

function Description({ provider }: { provider: Provider }) {
  const { id, name, kind, served_by } = provider;
  const { label, status } = providerState(provider);
  return (
    <Group component="span" gap={6}>
      {name !== null && name !== id && (
        <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {id}
        </Text>
      )}
      {kind !== null && (
        <Text span size="sm">
          {kindName(kind)}
        </Text>
      )}
      <StatusBadge status={status}>{label}</StatusBadge>
      {served_by === 'simulator' && <StatusBadge status="simulator">Simulator</StatusBadge>}
    </Group>
  );
}

interface ActionsProps {
  provider: Provider;
  isTesting: boolean;
  onTest: () => void;
}

function Actions({ provider, isTesting, onTest }: ActionsProps) {
  const { id, source } = provider;
  if (source === null) return null;
  return (
    <>
      <Button
        component={Link}
        to={`${providerPath(id)}/models`}
        leftSection={<Download size={16} aria-hidden />}
      >
        Import models
      </Button>
      <Button variant="default" loading={isTesting} onClick={onTest}>
        Test
      </Button>
      {source === 'catalog' && <CatalogActions provider={provider} />}
    </>
  );
}

function CatalogActions({ provider: { id, name, enabled, targets } }: { provider: Provider }) {
  const navigate = useNavigate();
  const models = new Set(targets.flatMap((target) => target.models)).size;
  const label = name ?? id;
  return (
    <>
      <ConfirmButton
        label={enabled ? 'Disable' : 'Enable'}
        title={enabled ? `Disable ${label}?` : `Enable ${label}?`}
        confirm={enabled ? 'Disable provider' : 'Enable provider'}
        action={() => updateProvider(id, { enabled: !enabled })}
        done={`${label} is ${enabled ? 'disabled' : 'enabled'}.`}
      >
        <Text size="sm">
          {enabled
            ? 'It gets no new requests within a second. Its models use their other targets; those without one are unavailable.'
            : 'It gets requests of its models within a second.'}
        </Text>
      </ConfirmButton>
      <ConfirmButton
        dangerous
        label="Delete"
        icon={<Trash2 size={16} aria-hidden />}
        title={`Delete ${label}?`}
        confirm="Delete provider"
        action={() => deleteProvider(id)}
        done={`${label} is deleted.`}
        onDone={() => void navigate('/operator/providers')}
      >
        <Text size="sm">
          Its credentials are deleted and can’t be restored.{' '}
          {models > 0 &&
            `${models === 1 ? 'A model of the catalog names' : `${models} models of the catalog name`} it: without another target, requests to ${models === 1 ? 'it' : 'them'} fail. `}
          Requests in flight end normally.
        </Text>
      </ConfirmButton>
    </>
  );
}

function Notice({ provider: { id, source, enabled } }: { provider: Provider }) {
  const icon = <Info size={18} aria-hidden />;
  const connect = (
    <Anchor
      component={Link}
      to={`/operator/providers/new?id=${encodeURIComponent(id)}`}
      inherit
      underline="always"
    >
      Connect a provider
    </Anchor>
  );
  if (source === 'environment') {
    return (
      <Alert variant="default" icon={icon} title="Configured by the environment">
        <Text size="sm">
          Its settings and credentials are environment variables of chat and media, and can’t be changed here.{' '}
          {connect} with the ID <Code>{id}</Code> to replace it.
        </Text>
      </Alert>
    );
  }
  if (source === null) {
    return (
      <Alert variant="default" icon={icon} title="Not configured">
        <Text size="sm">
          Models name it as a target, but neither the catalog nor the environment configures it. {connect}{' '}
          with the ID <Code>{id}</Code> to serve them.
        </Text>
      </Alert>
    );
  }
  if (enabled) return null;
  return (
    <Alert variant="default" icon={icon} title="Disabled">
      <Text size="sm">It gets no requests. Enable it to use it again.</Text>
    </Alert>
  );
}

function Loading() {
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <Skeleton h={220} />
      <Skeleton h={260} />
      <Skeleton h={320} />
    </Stack>
  );
}
