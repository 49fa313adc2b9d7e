import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { ApiError } from '../api/api-error';
import { describeError } from './describe-error';

interface ErrorStateProps {
  error: unknown;
  /** What failed, as a title. */
  title?: string;
  onRetry?: () => void;
}

/** The error, the request ID for a report, and a button to retry. */
export function ErrorState({ error, title = 'Could not load this', onRetry }: ErrorStateProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert
      color="red"
      variant="light"
      title={title}
      icon={<TriangleAlert size={18} aria-hidden />}
      role="alert"
    >
      <Text size="sm">{describeError(error)}</Text>
      {(onRetry || requestId) && (
        <Group gap="sm" mt="xs">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {requestId && (
            <Text size="xs">
              Request <Code>{requestId}</Code>
            </Text>
          )}
        </Group>
      )}
    </Alert>
  );
}
