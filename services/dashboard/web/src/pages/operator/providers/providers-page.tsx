import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, HeartPulse, Plug, Plus, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { ProviderList } from '../../../api/admin-providers';
import { DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { ErrorState } from '../../../ui/error-state';
import { formatDuration } from '../../../ui/format-time';
import { PageHeader } from '../../../ui/page-header';
import { Time } from '../../../ui/time';
import { wholeList } from '../../../ui/whole-list';
import { PROVIDER_COLUMNS } from './provider-columns';
import { isUnhealthyProvider, isUsedProvider } from './provider-state';
import { providersQuery } from './providers-query';
import { isNotSetUp } from './target-state';

const SHOWN = [
  { value: 'all', label: 'All' },
  { value: 'used', label: 'In use' },
  { value: 'unhealthy', label: 'Unhealthy' },
];

/** All providers, and their health as chat and media report it now. */
export function ProvidersPage() {
  const [shown, setShown] = useState('all');
  const health = useQuery(providersQuery);
  const { data, error } = health;
  return (
    <>
      <PageHeader
        title="Providers"
        description={
          data ? (
            <>
              Requests of the last {formatWindow(data.window_seconds)}, refreshed{' '}
              <Time at={health.dataUpdatedAt} relative />
            </>
          ) : (
            'Endpoints of models, their credentials and their health'
          )
        }
        actions={
          <Button component={Link} to="/operator/providers/new" leftSection={<Plus size={16} aria-hidden />}>
            Connect provider
          </Button>
        }
      />
      <Stack>
        <Group>
          <SegmentedControl
            aria-label="Providers shown"
            data={SHOWN}
            value={shown}
            onChange={setShown}
            size="xs"
          />
        </Group>
        {error && (
          <ErrorState
            error={error}
            {...(data && { title: 'Could not refresh' })}
            onRetry={() => void health.refetch()}
          />
        )}
        {data ? <Providers health={data} shown={shown} /> : !error && <Loading />}
      </Stack>
    </>
  );
}

function Providers({ health, shown }: { health: ProviderList; shown: string }) {
  const isShown =
    shown === 'unhealthy' ? isUnhealthyProvider : shown === 'used' ? isUsedProvider : () => true;
  return (
    <>
      <UnreachableInstances services={health.services} />
      {health.data.length > 0 && <Summary health={health} />}
      <DataTable
        label="Providers"
        columns={PROVIDER_COLUMNS}
        list={wholeList(health.data.filter(isShown))}
        rowKey={({ id }) => id}
        empty={<Nothing shown={shown} />}
      />
    </>
  );
}

/** Instances that did not respond; what only they know is missing below. */
function UnreachableInstances({ services }: { services: ProviderList['services'] }) {
  const away = services.filter(({ status }) => status === 'away');
  if (away.length === 0) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={away.length === 1 ? '1 instance is unreachable' : `${away.length} instances are unreachable`}
    >
      <Text size="sm">
        {away.map(({ service, address }) => `${service} at ${address}`).join(', ')} did not respond. Their
        figures are missing here.
      </Text>
    </Alert>
  );
}

function Summary({ health: { data: providers, services } }: { health: ProviderList }) {
  const isWhole = services.every(({ status }) => status === 'up');
  const well = isWhole ? 'All providers are healthy' : 'No unhealthy providers';
  const unhealthy = providers.filter(isUnhealthyProvider).length;
  const missing = providers.flatMap(({ targets, served_by }) =>
    targets.filter((target) => isNotSetUp(target, served_by)),
  ).length;
  const simulated = providers.filter(({ served_by }) => served_by === 'simulator').length;
  return (
    <Group gap="lg" role="status">
      <Group gap={6}>
        {unhealthy === 0 ? (
          <CircleCheck size={18} color="var(--mantine-color-teal-text)" aria-hidden />
        ) : (
          <TriangleAlert size={18} color="var(--mantine-color-error)" aria-hidden />
        )}
        <Text size="sm" fw={500}>
          {unhealthy === 0
            ? well
            : `${unhealthy} ${unhealthy === 1 ? 'provider is unhealthy' : 'providers are unhealthy'}`}
        </Text>
      </Group>
      {missing > 0 && (
        <Text size="sm" c="dimmed">
          {missing} {missing === 1 ? 'target of a provider that is' : 'targets of providers that are'} not
          configured
        </Text>
      )}
      {simulated > 0 && (
        <Text size="sm" c="dimmed">
          {simulated} of {providers.length} providers are simulated
        </Text>
      )}
    </Group>
  );
}

function Nothing({ shown }: { shown: string }) {
  if (shown === 'unhealthy') return <EmptyState title="No unhealthy providers" icon={CircleCheck} />;
  if (shown === 'used') {
    return (
      <EmptyState title="No requests in this period" icon={HeartPulse}>
        Providers appear here once they receive requests.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No providers"
      icon={Plug}
      action={
        <Button component={Link} to="/operator/providers/new">
          Connect provider
        </Button>
      }
    >
      Connect one to offer its models.
    </EmptyState>
  );
}

function Loading() {
  return (
    <>
      <Skeleton h={22} w={180} />
      <Skeleton h={420} />
    </>
  );
}

const formatWindow = (seconds: number): string =>
  seconds > 0 && seconds % 60 === 0
    ? `${seconds / 60} ${seconds === 60 ? 'minute' : 'minutes'}`
    : formatDuration(seconds * 1_000);
