import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError } from '../../api/api-error';
import { modelPath } from '../../api/models';
import { type AdvicePage, adviceOn } from '../../ui/error-advice';
import { ErrorState } from '../../ui/error-state';
import { formatMoney } from '../../ui/format-money';
import { Time } from '../../ui/time';
import { useCallRecord } from './use-call-record';

interface CallErrorProps {
  error: unknown;
  title: string;
  keyId: string;
  model: string;
  onRetry?: () => void;
}

/** Refusals are recorded within three seconds, if at all. */
const MAX_RECORD_POLLS = 6;

/** Advice for the playground where it differs from the advice for API clients. */
const HERE: Readonly<Record<string, string>> = {
  login_ended: 'Log in, then try again.',
  network: 'Check your connection and try again.',
  invalid_request: 'Fix the reported problem: the same request will fail again.',
  missing_parameter: 'Fill in the missing fields.',
  not_found: 'Choose another key. The selected key or resource doesn’t exist in this account.',
  rate_limited: 'Wait a moment, then try again.',
};

/** Why a request failed, what to do about it, and links to where. */
export function CallError({ error, title, keyId, model, onRetry }: CallErrorProps) {
  return (
    <div>
      <ErrorState error={error} title={title} onRetry={onRetry} />
      {error instanceof ApiError && <WhatToDo error={error} keyId={keyId} model={model} />}
    </div>
  );
}

function WhatToDo({ error, keyId, model }: { error: ApiError; keyId: string; model: string }) {
  const { code, limitUsd, usedUsd, resetsAt, retryAfterSeconds, requestId } = error;
  const { todo, pages } = adviceOn(code);
  // Refusals by edge are not in the request log.
  const record = useCallRecord(requestId, keyId, MAX_RECORD_POLLS);
  const links = pages.flatMap((page) => linkOf(page, keyId, model) ?? []);
  return (
    <Text size="sm" c="dimmed" mt={6} component="div">
      {limitUsd !== undefined &&
        usedUsd !== undefined &&
        `${formatMoney(usedUsd)} of ${formatMoney(limitUsd)} used. `}
      {resetsAt && (
        <>
          Resets <Time at={resetsAt} />.{' '}
        </>
      )}
      {retryAfterSeconds !== undefined && `Retry in ${retryAfterSeconds} s. `}
      {HERE[code] ?? todo}
      <Group gap="md" mt={2} mih={22}>
        {links.map(({ to, text }) => (
          <Anchor key={to} component={Link} to={to} size="sm" underline="always">
            {text}
          </Anchor>
        ))}
        {record.data && (
          <Anchor component={Link} to={`/requests/${requestId}`} size="sm" underline="always">
            View request
          </Anchor>
        )}
      </Group>
    </Text>
  );
}

/** Returns undefined if no page helps. */
function linkOf(page: AdvicePage, keyId: string, model: string): { to: string; text: string } | undefined {
  switch (page) {
    case 'key':
      return { to: `/keys/${keyId}`, text: 'Key limits' };
    case 'keys':
      return { to: '/keys', text: 'All keys' };
    case 'billing':
      return { to: '/billing', text: 'Balance and top-ups' };
    case 'limits':
      return { to: '/billing', text: 'Account daily limit' };
    case 'model':
      return { to: `/models/${modelPath(model)}`, text: 'Model details' };
    case 'models':
      return { to: '/models', text: 'All models' };
    default:
      return undefined;
  }
}
