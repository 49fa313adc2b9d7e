import { Alert, Button, Stack, Text } from '@mantine/core';
import { Repeat } from 'lucide-react';

interface RepeatNoticeProps {
  /** `An adjustment by $5.00`. */
  what: string;
  onAnother: () => void;
}

/** Says that what is about to be asked for is taken for what was asked for before. */
export function RepeatNotice({ what, onAnother }: RepeatNoticeProps) {
  return (
    <Alert
      color="yellow"
      variant="light"
      title="Taken for the one before"
      icon={<Repeat size={18} aria-hidden />}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {what} was asked for before, and got no good answer. Sent again it is the same one: if it was done
          already, it is not done twice. The lists of the account tell whether it was.
        </Text>
        <Button size="compact-sm" variant="default" onClick={onAnother}>
          This is another one
        </Button>
      </Stack>
    </Alert>
  );
}
