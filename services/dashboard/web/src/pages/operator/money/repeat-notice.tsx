import { Alert, Button, Stack, Text } from '@mantine/core';
import { Repeat } from 'lucide-react';

interface RepeatNoticeProps {
  /** `An adjustment by $5.00`. */
  what: string;
  onAnother: () => void;
}

/** Warns that the request will be taken for an earlier one. */
export function RepeatNotice({ what, onAnother }: RepeatNoticeProps) {
  return (
    <Alert color="yellow" variant="light" title="Treated as a repeat" icon={<Repeat size={18} aria-hidden />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {what} was requested before without a clear outcome. Sending it again repeats the same request: it
          is not executed twice. Check the lists of the account for the outcome.
        </Text>
        <Button size="compact-sm" variant="default" onClick={onAnother}>
          Send as a new request
        </Button>
      </Stack>
    </Alert>
  );
}
