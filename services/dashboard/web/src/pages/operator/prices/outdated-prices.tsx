import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';

interface OutdatedPricesProps {
  /** The version on which the draft is based. */
  begun: number | undefined;
  current: number | undefined;
  /** Saving was attempted; otherwise the notice is shown only when it is reached. */
  refused: boolean;
  onLoad: () => void;
  loading: boolean;
}

/** Others have set prices since the draft was started; saving it would undo theirs. */
export function OutdatedPrices({ begun, current, refused, onLoad, loading }: OutdatedPricesProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refused) alert.current?.scrollIntoView({ block: 'nearest' });
  }, [refused]);
  const now = current === begun ? 'there is a later one' : `the current one is version ${current}`;
  return (
    <Alert
      ref={alert}
      color="yellow"
      variant="light"
      title="The prices have changed"
      icon={<TriangleAlert size={18} aria-hidden />}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm">
          You started from version {begun}; {now}. Your changes can’t be saved. They stay here until you load
          the current prices.
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
