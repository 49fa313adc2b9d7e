import { Alert, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, HeartPulse, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { getProviders, type ProvidersHealth } from '../../../api/admin-providers';
import { EmptyState } from '../../../ui/empty-state';
import { ErrorState } from '../../../ui/error-state';
import { formatDuration } from '../../../ui/format-time';
import { PageHeader } from '../../../ui/page-header';
import { Time } from '../../../ui/time';
import { ProviderCard } from './provider-card';
import { isNotSetUp, isUnhealthy, isUsed } from './target-state';

const REFETCH_INTERVAL_MS = 5_000;
const SHOWN = [
  { value: 'all', label: 'All' },
  { value: 'used', label: 'In use' },
  { value: 'unhealthy', label: 'Unhealthy' },
];

/** The health of providers as chat and media report it now. */
export function ProvidersPage() {
  const [shown, setShown] = useState('all');
  const health = useQuery({
    queryKey: ['admin', 'providers'],
    queryFn: getProviders,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const { data, error } = health;
  return (
    <>
      <PageHeader
        title="Provider health"
        description={
          data ? (
            <>
              Requests of the last {formatWindow(data.window_seconds)}, refreshed{' '}
              <Time at={health.dataUpdatedAt} relative />
            </>
          ) : (
            'Health of the providers and their targets'
          )
        }
        actions={
          <SegmentedControl
            aria-label="Targets shown"
            data={SHOWN}
            value={shown}
            onChange={setShown}
            size="xs"
          />
        }
      />
      <Stack>
        {error && (
          <ErrorState
            error={error}
            {...(data && { title: 'Could not refresh' })}
            onRetry={() => void health.refetch()}
          />
        )}
        {data ? <Health health={data} shown={shown} /> : !error && <Loading />}
      </Stack>
    </>
  );
}

function Health({ health, shown }: { health: ProvidersHealth; shown: string }) {
  const isShown = shown === 'unhealthy' ? isUnhealthy : shown === 'used' ? isUsed : () => true;
  const providers = health.data
    .map((provider) => ({
      ...provider,
      targets: provider.targets.filter((target) => isShown(target, provider.served_by)),
    }))
    .filter(({ targets }) => shown === 'all' || targets.length > 0);
  return (
    <>
      <UnreachableInstances services={health.services} />
      {health.data.length > 0 && <Summary health={health} />}
      {providers.map((provider) => (
        <ProviderCard key={provider.id} provider={provider} />
      ))}
      {providers.length === 0 && <Nothing shown={shown} />}
    </>
  );
}

/** Instances that did not respond; what only they know is missing below. */
function UnreachableInstances({ services }: { services: ProvidersHealth['services'] }) {
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

function Summary({ health: { data: providers, services } }: { health: ProvidersHealth }) {
  const isWhole = services.every(({ status }) => status === 'up');
  const well = isWhole ? 'All targets are healthy' : 'No unhealthy targets';
  const unhealthy = providers.flatMap(({ targets, served_by }) =>
    targets.filter((target) => isUnhealthy(target, served_by)),
  ).length;
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
            : `${unhealthy} ${unhealthy === 1 ? 'target is unhealthy' : 'targets are unhealthy'}`}
        </Text>
      </Group>
      {missing > 0 && (
        <Text size="sm" c="dimmed">
          {missing} of {missing === 1 ? 'a provider that is' : 'providers that are'} not configured
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
  if (shown === 'unhealthy') return <EmptyState title="All targets are healthy" icon={CircleCheck} />;
  if (shown === 'used') {
    return (
      <EmptyState title="No requests in this period" icon={HeartPulse}>
        Targets appear here once they receive requests.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No providers" icon={HeartPulse}>
      No model has a target, and no provider is configured.
    </EmptyState>
  );
}

function Loading() {
  return (
    <>
      <Skeleton h={22} w={180} />
      {[200, 140, 140].map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are constant.
        <Skeleton key={index} h={height} />
      ))}
    </>
  );
}

const formatWindow = (seconds: number): string =>
  seconds > 0 && seconds % 60 === 0
    ? `${seconds / 60} ${seconds === 60 ? 'minute' : 'minutes'}`
    : formatDuration(seconds * 1_000);
