import { Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getLimits } from '../../api/billing';
import { type ApiKey, getKeyUse, type KeyUse } from '../../api/keys';
import { ErrorState } from '../../ui/error-state';
import { formatCount } from '../../ui/format-count';
import { formatMoney } from '../../ui/format-money';
import { nearLimit } from '../../ui/near-limit';
import { Section } from '../../ui/section';
import { Time } from '../../ui/time';
import { UsageBar } from '../../ui/usage-bar';

const REFETCH_INTERVAL_MS = 3_000;
const HEIGHT_PX = 314;

/** Current usage of each limit of a key, refreshed. */
export function KeyUseCard({ apiKey }: { apiKey: ApiKey }) {
  const use = useQuery({
    queryKey: ['keys', 'one', apiKey.id, 'use'],
    queryFn: () => getKeyUse(apiKey.id),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const account = useQuery({ queryKey: ['billing', 'limits'], queryFn: getLimits });
  const usageLink = (
    <Anchor component={Link} to="/usage?by=key" size="sm">
      Usage by key
    </Anchor>
  );
  return (
    <Section
      title="Current usage"
      description="Includes funds reserved for in-flight requests"
      action={usageLink}
    >
      {use.data ? (
        <Bars apiKey={apiKey} use={use.data} accountLimit={account.data?.daily_limit ?? null} />
      ) : use.error ? (
        <ErrorState error={use.error} onRetry={() => void use.refetch()} />
      ) : (
        <Skeleton height={HEIGHT_PX} />
      )}
    </Section>
  );
}

interface BarsProps {
  apiKey: ApiKey;
  use: KeyUse;
  accountLimit: number | null;
}

function Bars({ apiKey, use, accountLimit }: BarsProps) {
  const { daily_limit, monthly_limit, request_cost_limit, rpm_limit, tpm_limit } = apiKey;
  return (
    <Stack gap="sm">
      <UsageBar
        title="Today"
        used={use.day.used}
        limit={daily_limit}
        format={formatMoney}
        note={<Until window={use.day} limit={daily_limit} code="key_daily_limit" />}
      />
      <UsageBar
        title="This month"
        used={use.month.used}
        limit={monthly_limit}
        format={formatMoney}
        note={<Until window={use.month} limit={monthly_limit} code="key_monthly_limit" />}
      />
      <UsageBar
        title="Requests in the last minute"
        used={use.minute?.requests ?? 0}
        limit={rpm_limit}
        format={formatCount}
        note={use.minute === null && 'Counted when the key has a rate limit'}
      />
      <UsageBar
        title="Tokens in the last minute"
        used={use.minute?.tokens ?? 0}
        limit={tpm_limit}
        format={formatCount}
        note={use.minute === null ? 'Counted when the key has a rate limit' : 'Input and output'}
      />
      <UsageBar
        title="All keys of the account, today"
        used={use.account_day.used}
        limit={accountLimit}
        format={formatMoney}
        note={<Until window={use.account_day} limit={accountLimit} code="account_daily_limit" />}
      />
      <Text size="sm">
        {request_cost_limit === null
          ? 'No cost limit per request.'
          : `Maximum cost per request: ${formatMoney(request_cost_limit)}.`}
      </Text>
    </Stack>
  );
}

interface UntilProps {
  window: KeyUse['day'];
  limit: number | null;
  code: string;
}

function Until({ window, limit, code }: UntilProps) {
  return (
    <>
      {nearLimit(window.used, limit, code)}
      Resets <Time at={window.resets_at} relative />
    </>
  );
}
