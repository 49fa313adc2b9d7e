import { Box, Code, Text } from '@mantine/core';
import type { CredentialHealth, Health, RateLimit } from '../../../api/admin-providers';
import { formatCount } from '../../../ui/format-count';
import { formatMoney } from '../../../ui/format-money';
import { formatDuration } from '../../../ui/format-time';
import { StatusBadge } from '../../../ui/status-badge';
import { Time } from '../../../ui/time';
import type { StateInWords } from './provider-state';

export function StateCell({ state: { label, status, detail } }: { state: StateInWords }) {
  return (
    <Box miw={0}>
      <StatusBadge status={status}>{label}</StatusBadge>
      {detail && (
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      )}
    </Box>
  );
}

/** Errors, and their part of the calls. */
export function Errors({ calls, errors }: Pick<Health, 'calls' | 'errors'>) {
  if (errors === 0) return <>0</>;
  const percent = (errors / Math.max(calls, errors)) * 100;
  const share = percent < 1 ? '<1%' : `${Math.round(percent)}%`;
  return (
    <Text span size="sm" c="var(--mantine-color-error)" style={{ whiteSpace: 'nowrap' }}>
      {formatCount(errors)} ({share})
    </Text>
  );
}

/** What a credential has cost on this UTC day, and its limit. */
export function CostToday({
  cost_today,
  daily_cost_limit,
}: Pick<CredentialHealth, 'cost_today' | 'daily_cost_limit'>) {
  return (
    <Box miw={0}>
      <Text size="sm">{cost_today === null ? '–' : formatMoney(cost_today)}</Text>
      {daily_cost_limit !== null && (
        <Text size="xs" c="dimmed">
          of {formatMoney(daily_cost_limit)}
        </Text>
      )}
    </Box>
  );
}

/** What remains of a credential's rate limits at the provider. */
export function RateLimits({ rate_limits }: Pick<CredentialHealth, 'rate_limits'>) {
  if (!rate_limits) return <>–</>;
  const { upstream_model, at, limits } = rate_limits;
  return (
    <Box miw={0}>
      {limits.map((one) => (
        <Remaining key={one.name} {...one} />
      ))}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {upstream_model}, <Time at={at} relative />
      </Text>
    </Box>
  );
}

function Remaining({ name, remaining, limit, resets_at }: RateLimit) {
  return (
    <Text size="sm">
      {formatCount(remaining)}
      {limit !== null && ` of ${formatCount(limit)}`} {name.replaceAll('-', ' ')} left
      {resets_at && (
        <Text span inherit size="xs" c="dimmed">
          {', reset '}
          <Time at={resets_at} relative />
        </Text>
      )}
    </Text>
  );
}

export function Latency({ latency }: Pick<Health, 'latency'>) {
  if (!latency) return <>–</>;
  return (
    <Box miw={0}>
      <Text size="sm">{formatDuration(latency.mean_ms)}</Text>
      <Text size="xs" c="dimmed">
        max {formatDuration(latency.max_ms)}
      </Text>
    </Box>
  );
}

export function LastFailure({ failure }: { failure: Health['last_failure'] }) {
  if (!failure) return <>None</>;
  const { code, status, at } = failure;
  return (
    <Box miw={0}>
      <Code>{code}</Code>
      <Text size="xs" c="dimmed">
        {status !== null && `status ${status}, `}
        <Time at={at} relative />
      </Text>
    </Box>
  );
}
