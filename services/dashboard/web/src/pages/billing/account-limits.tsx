import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getAccountUse, getLimits, type Limits } from '../../api/billing';
import { useMay } from '../../api/use-me';
import { describeError } from '../../ui/describe-error';
import { ErrorState } from '../../ui/error-state';
import { formatMoney } from '../../ui/format-money';
import { nearLimit } from '../../ui/near-limit';
import { Section } from '../../ui/section';
import { Time } from '../../ui/time';
import { UsageBar } from '../../ui/usage-bar';
import { WHEN_SHORT } from './insufficient-funds-policy';
import { LimitsForm } from './limits-form';

const REFETCH_INTERVAL_MS = 5_000;
/** Shared by the form and the read-only text. */
const HEIGHTS_PX = { form: 338, words: 130 };

/** The account's daily spending limit; owners can change it. */
export function AccountLimits() {
  const limits = useQuery({ queryKey: ['billing', 'limits'], queryFn: getLimits });
  const mayChange = useMay('owner');
  return (
    <Section title="Account limits" description="For all keys together">
      {limits.data ? (
        <Stack>
          <UsedToday limits={limits.data} />
          {mayChange ? <LimitsForm limits={limits.data} /> : <LimitsInWords limits={limits.data} />}
        </Stack>
      ) : limits.error ? (
        <ErrorState error={limits.error} onRetry={() => void limits.refetch()} />
      ) : (
        <Skeleton height={mayChange ? HEIGHTS_PX.form : HEIGHTS_PX.words} />
      )}
    </Section>
  );
}

function UsedToday({ limits: { daily_limit } }: { limits: Limits }) {
  const use = useQuery({
    queryKey: ['billing', 'use'],
    queryFn: getAccountUse,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const day = use.data?.day;
  const note = (
    <>
      {nearLimit(day?.used ?? 0, day ? daily_limit : null, 'account_daily_limit')}
      Includes reserved funds. Resets {day && <Time at={day.resets_at} relative />}
    </>
  );
  return (
    <UsageBar
      title="Used today"
      used={day?.used ?? 0}
      limit={daily_limit}
      format={formatMoney}
      note={use.error ? `Unavailable: ${describeError(use.error)}` : note}
    />
  );
}

function LimitsInWords({ limits: { when_short } }: { limits: Limits }) {
  return (
    <Text size="sm">
      When funds don’t cover the whole request: {WHEN_SHORT[when_short].inWords} Owners can change this.
    </Text>
  );
}
