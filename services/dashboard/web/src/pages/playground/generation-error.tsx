import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { ApiError } from '../../api/api-error';
import { describeError } from '../../ui/describe-error';
import { CallError } from './call-error';
import { isOutcomeUnknown } from './is-outcome-unknown';

interface GenerationErrorProps {
  error: unknown;
  /** What was requested, as in `The images`. */
  what: string;
  /** For a request that certainly was not executed. */
  title: string;
  keyId: string;
  model: string;
  /** Sends the same request: its result is returned, and it is executed only if it never started. */
  onAgain: () => void;
  /** Sends a new request. */
  onNewRequest: () => void;
}

/** A failed request; if its outcome is unknown, checking for it and requesting again are two different actions. */
export function GenerationError({
  error,
  what,
  title,
  keyId,
  model,
  onAgain,
  onNewRequest,
}: GenerationErrorProps) {
  if (!(error instanceof ApiError) || !isOutcomeUnknown(error)) {
    return <CallError error={error} title={title} keyId={keyId} model={model} onRetry={onAgain} />;
  }
  return (
    <Alert
      color="orange"
      variant="light"
      title={`${what} may still arrive`}
      icon={<TriangleAlert size={18} aria-hidden />}
      role="alert"
    >
      <Text size="sm">
        {describeError(error)} The outcome is unknown. Check again to fetch the result: it is charged at most
        once. If the request was lost, checking returns this error for 24 hours.
      </Text>
      <Group gap="sm" mt="sm">
        <Button size="xs" variant="default" onClick={onAgain}>
          Check again
        </Button>
        <Button size="xs" variant="subtle" color="orange" onClick={onNewRequest}>
          Generate again – may be charged twice
        </Button>
        {error.requestId && (
          <Text size="xs">
            Request <Code>{error.requestId}</Code>
          </Text>
        )}
      </Group>
    </Alert>
  );
}
