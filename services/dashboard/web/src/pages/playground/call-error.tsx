import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError } from '../../api/api-error';
import { ErrorState } from '../../ui/error-state';
import { formatMoney } from '../../ui/format-money';
import { Time } from '../../ui/time';

interface CallErrorProps {
  error: unknown;
  title: string;
  keyId: string;
  onRetry?: () => void;
}

const OF_THE_KEY: readonly string[] = [
  'key_daily_limit',
  'key_monthly_limit',
  'request_cost_limit',
  'rpm_rate_limited',
  'tpm_rate_limited',
];
const OF_THE_ACCOUNT: readonly string[] = ['insufficient_balance', 'account_daily_limit'];

/** Why a call failed, and where that is cured. */
export function CallError({ error, title, keyId, onRetry }: CallErrorProps) {
  return (
    <div>
      <ErrorState error={error} title={title} onRetry={onRetry} />
      {error instanceof ApiError && <Cure error={error} keyId={keyId} />}
    </div>
  );
}

function Cure({ error, keyId }: { error: ApiError; keyId: string }) {
  const { code, limitUsd, usedUsd, resetsAt, retryAfterSeconds, requestId } = error;
  const cure = OF_THE_KEY.includes(code)
    ? { to: `/keys/${keyId}`, text: 'Open the key and its limits' }
    : OF_THE_ACCOUNT.includes(code)
      ? { to: '/billing', text: 'Open billing' }
      : requestId
        ? { to: `/requests/${requestId}`, text: 'What to do about it' }
        : undefined;
  return (
    <Text size="sm" c="dimmed" mt={6}>
      {limitUsd !== undefined &&
        usedUsd !== undefined &&
        `${formatMoney(usedUsd)} of ${formatMoney(limitUsd)}. `}
      {resetsAt && (
        <>
          Counts anew from <Time at={resetsAt} />.{' '}
        </>
      )}
      {retryAfterSeconds !== undefined && `Can be tried again in ${retryAfterSeconds} s. `}
      {cure && (
        <Anchor component={Link} to={cure.to} size="sm" underline="always">
          {cure.text}
        </Anchor>
      )}
    </Text>
  );
}
