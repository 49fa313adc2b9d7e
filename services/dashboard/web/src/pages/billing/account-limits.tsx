import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getLimits, type Limits } from '../../api/billing';
import { getUsage } from '../../api/usage';
import { useMay } from '../../api/use-me';
import { ErrorState } from '../../ui/error-state';
import { formatMoney } from '../../ui/format-money';
import { Section } from '../../ui/section';
import { UseBar } from '../../ui/use-bar';
import { LimitsForm } from './limits-form';
import { WHEN_SHORT } from './when-short';

const HEIGHT_PX = 240;

/** What the account may spend in a day; owners change it. */
export function AccountLimits() {
  const limits = useQuery({ queryKey: ['billing', 'limits'], queryFn: getLimits });
  const mayChange = useMay('owner');
  return (
    <Section title="Account limits" description="Of all keys together">
      {limits.data ? (
        <Stack>
          <SpentToday limits={limits.data} />
          {mayChange ? <LimitsForm limits={limits.data} /> : <LimitsInWords limits={limits.data} />}
        </Stack>
      ) : limits.error ? (
        <ErrorState error={limits.error} onRetry={() => void limits.refetch()} />
      ) : (
        <Skeleton height={HEIGHT_PX} />
      )}
    </Section>
  );
}

const REFETCH_INTERVAL_MS = 15_000;

function SpentToday({ limits }: { limits: Limits }) {
  const today = useQuery({
    queryKey: ['usage', 'today'],
    queryFn: () => getUsage({ group_by: 'day', from: new Date().toISOString() }),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const spent = today.data?.data.reduce((sum, { cost }) => sum + cost, 0) ?? 0;
  return (
    <UseBar
      title="Spent today"
      used={spent}
      limit={limits.daily_limit}
      format={formatMoney}
      note="By ended calls, since 00:00 UTC"
    />
  );
}

function LimitsInWords({ limits: { when_short } }: { limits: Limits }) {
  const { label, description } = WHEN_SHORT[when_short];
  return (
    <Text size="sm">
      When a call does not fit whole: {label.toLowerCase()}. {description} Owners of the account can change
      this.
    </Text>
  );
}
