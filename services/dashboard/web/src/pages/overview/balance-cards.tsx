import { Anchor, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { getBalance, getLimits } from '../../api/billing';
import { ErrorState } from '../../ui/error-state';
import { Money } from '../../ui/money';
import { useRecentUsage } from './use-recent-usage';

const REFETCH_INTERVAL_MS = 15_000;

export function BalanceCards({ days }: { days: number }) {
  const balance = useQuery({
    queryKey: ['billing', 'balance'],
    queryFn: getBalance,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const limits = useQuery({ queryKey: ['billing', 'limits'], queryFn: getLimits });
  const usage = useRecentUsage('day', days);
  if (balance.error) {
    return (
      <ErrorState
        error={balance.error}
        title="Could not load the balance"
        onRetry={() => void balance.refetch()}
      />
    );
  }
  const today = new Date().toISOString().slice(0, 10);
  const spentToday = usage.data && (usage.data.data.find(({ group }) => group === today)?.cost ?? 0);
  const cap = limits.data?.daily_limit;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure title="Available" note={<BalanceNote available={balance.data?.available} />}>
        {balance.data && <Money usd={balance.data.available} />}
      </Figure>
      <Figure title="Balance" note="Includes reserved funds">
        {balance.data && <Money usd={balance.data.balance} />}
      </Figure>
      <Figure title="Reserved" note="For in-flight requests">
        {balance.data && <Money usd={balance.data.held} />}
      </Figure>
      <Figure
        title="Spent today"
        note={
          cap == null ? (
            'No daily limit'
          ) : (
            <>
              Daily limit <Money usd={cap} />
            </>
          )
        }
      >
        {spentToday !== undefined && <Money usd={spentToday} />}
      </Figure>
    </SimpleGrid>
  );
}

function BalanceNote({ available }: { available: number | undefined }) {
  const text =
    available !== undefined && available <= 0
      ? 'Requests are rejected until you top up'
      : 'Top-ups and ledger';
  return (
    <Anchor component={Link} to="/billing" inherit underline="always">
      {text}
    </Anchor>
  );
}

function Figure({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed" fw={500}>
        {title}
      </Text>
      <Text component="div" size="xl" fw={650} mih={31}>
        {children || <Skeleton height={24} width={90} />}
      </Text>
      <Text component="div" size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}
