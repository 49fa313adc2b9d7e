import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';

interface OutdatedPricesProps {
  /** That the draft was begun with. */
  begun: number | undefined;
  current: number | undefined;
  onLoad: () => void;
  loading: boolean;
}

/** Somebody else has set prices since the draft was begun, which it would undo. */
export function OutdatedPrices({ begun, current, onLoad, loading }: OutdatedPricesProps) {
  const now = current === begun ? 'there is a later one' : `the current one is version ${current}`;
  return (
    <Alert
      color="yellow"
      variant="light"
      title="The prices were changed meanwhile"
      icon={<TriangleAlert size={18} aria-hidden />}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm">
          You began with version {begun}; {now}. What you typed stays here until you load the current prices,
          and can’t be set.
        </Text>
        <Group>
          <Button size="xs" variant="default" onClick={onLoad} loading={loading}>
            Load current prices
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
