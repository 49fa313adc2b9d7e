import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Balance, getBalance } from '../../api/billing';
import { useMe } from '../../api/use-me';
import { CopyButton } from '../../ui/copy-button';
import { ErrorState } from '../../ui/error-state';
import { Money } from '../../ui/money';
import { Section } from '../../ui/section';

const REFETCH_INTERVAL_MS = 5_000;
const HEIGHT_PX = 137;

export function BalanceCard() {
  const balance = useQuery({
    queryKey: ['billing', 'balance'],
    queryFn: getBalance,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  return (
    <Section title="Balance">
      {balance.data ? (
        <Figures balance={balance.data} />
      ) : balance.error ? (
        <ErrorState error={balance.error} onRetry={() => void balance.refetch()} />
      ) : (
        <Skeleton height={HEIGHT_PX} />
      )}
      <HowToTopUp />
    </Section>
  );
}

function Figures({ balance: { balance, held, available } }: { balance: Balance }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="baseline">
        <Text size="sm">Available for new requests</Text>
        <Text size="xl" fw={650}>
          <Money usd={available} />
        </Text>
      </Group>
      <Figure title="Balance">
        <Money usd={balance} />
      </Figure>
      <Figure title="Reserved for in-flight requests">
        <Money usd={held} />
      </Figure>
      <Text size="xs" c="dimmed">
        The maximum cost of a request is reserved until it ends. Then the actual cost is charged and the rest
        is released. Requests that could cost more than the available balance are rejected or shortened.
      </Text>
      {available <= 0 && (
        <Alert color="red" icon={<TriangleAlert size={18} aria-hidden />} title="Requests are rejected">
          No funds left: requests return <code>insufficient_balance</code> until you top up
          {held > 0 && ' or in-flight requests end'}.
        </Alert>
      )}
    </Stack>
  );
}

function Figure({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Group justify="space-between">
      <Text size="sm">{title}</Text>
      <Text size="sm">{children}</Text>
    </Group>
  );
}

function HowToTopUp() {
  const { account } = useMe();
  return (
    <Text component="div" size="sm" mt="md">
      To top up, send your account ID to the operator of this gateway:
      <Group gap={4} wrap="nowrap">
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {account.id}
        </Text>
        <CopyButton value={account.id} label="Copy account ID" />
      </Group>
    </Text>
  );
}
