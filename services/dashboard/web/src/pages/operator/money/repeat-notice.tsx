import { Alert, Button, Stack, Text } from '@mantine/core';
import { Repeat } from 'lucide-react';

interface RepeatNoticeProps {
  /** `An adjustment by $5.00`. */
  what: string;
  onAnother: () => void;
}

/** Warns that submitting retries an earlier request. */
export function RepeatNotice({ what, onAnother }: RepeatNoticeProps) {
  return (
    <Alert
      color="yellow"
      variant="light"
      title="Retry of an earlier request"
      icon={<Repeat size={18} aria-hidden />}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {what} was submitted earlier and its outcome is unknown. Submitting again retries it; it won’t be
          applied twice. Check the account’s top-ups or ledger first.
        </Text>
        <Button size="compact-sm" variant="default" onClick={onAnother}>
          Submit as a new request
        </Button>
      </Stack>
    </Alert>
  );
}
