import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ProbeResult } from '../../../api/admin-providers';
import { ErrorState } from '../../../ui/error-state';
import { formatCount } from '../../../ui/format-count';
import { formatDuration } from '../../../ui/format-time';

interface ProbeOutcomeProps {
  /** Called with a prompt; absent: the endpoint lists its models. */
  model?: string | undefined;
  isPending: boolean;
  result: ProbeResult | undefined;
  /** The call could not be made. */
  error: Error | null;
  onRetry: () => void;
}

/** The result of a test call: its latency and what the endpoint lists, or the endpoint's exact failure. */
export function ProbeOutcome({ model, isPending, result, error, onRetry }: ProbeOutcomeProps) {
  if (isPending) {
    return (
      <Alert variant="light" color="gray" title="Testing" icon={<Loader size={18} />} role="status">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {model === undefined ? 'The endpoint is asked for its models.' : `${model} gets a short prompt.`} It
          has 25 seconds to respond.
        </Text>
      </Alert>
    );
  }
  if (error) return <ErrorState error={error} title="Could not test it" onRetry={onRetry} />;
  if (!result) return null;
  return result.failure ? (
    <Alert
      variant="light"
      color="red"
      title="The test failed"
      icon={<CircleX size={18} aria-hidden />}
      role="alert"
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {failureText(result.failure)}
      </Text>
      <Group gap="sm" mt="xs">
        <Button size="xs" variant="default" onClick={onRetry}>
          Test again
        </Button>
        <Text size="xs">{detailsOf(result, model)}</Text>
      </Group>
    </Alert>
  ) : (
    <Alert
      variant="light"
      color="teal"
      title="The test succeeded"
      icon={<CircleCheck size={18} aria-hidden />}
      role="status"
    >
      <Text size="sm">{detailsOf(result, model)}</Text>
    </Alert>
  );
}

const failureText = ({ status, message }: NonNullable<ProbeResult['failure']>): string =>
  status === null ? `No valid reply: ${message}` : `Status ${status}: ${message}`;

function detailsOf({ credential, latency_ms, models }: ProbeResult, model: string | undefined): string {
  const called = model === undefined ? [] : [model];
  const listed = models === null ? [] : [`${formatCount(models)} ${models === 1 ? 'model' : 'models'}`];
  const name = credential.name === '' ? [] : [`credential ${credential.name}`];
  return [...called, ...listed, formatDuration(latency_ms), ...name].join(' · ');
}
