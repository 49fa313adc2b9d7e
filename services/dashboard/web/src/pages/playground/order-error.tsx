import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { ApiError } from '../../api/api-error';
import { describeError } from '../../ui/describe-error';
import { CallError } from './call-error';
import { isEndUnknown } from './order-end';

interface OrderErrorProps {
  error: unknown;
  /** What was ordered, as in `The images`. */
  what: string;
  /** Of an order that surely came to nothing. */
  title: string;
  keyId: string;
  model: string;
  /** The same order: what it came to is answered, and only what never began is done. */
  onAgain: () => void;
  /** Another order of the same. */
  onAnew: () => void;
}

/** An order that failed; where nobody knows whether it did, looking for it is one thing and ordering anew another. */
export function OrderError({ error, what, title, keyId, model, onAgain, onAnew }: OrderErrorProps) {
  if (!(error instanceof ApiError) || !isEndUnknown(error)) {
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
        once. A request that was lost gives this answer for a day.
      </Text>
      <Group gap="sm" mt="sm">
        <Button size="xs" variant="default" onClick={onAgain}>
          Check again
        </Button>
        <Button size="xs" variant="subtle" color="orange" onClick={onAnew}>
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
