import { Group, Loader, Text } from '@mantine/core';
import { useElapsed } from './use-elapsed';

/** Shows that work is in progress, and for how long. */
export function Waiting({ label, startedMs }: { label: string; startedMs: number }) {
  const seconds = useElapsed(startedMs);
  return (
    <Group gap="sm">
      <Loader size="sm" aria-hidden />
      <Text size="sm" role="status">
        {label}
      </Text>
      <Text size="sm" c="dimmed" aria-hidden>
        {seconds} s
      </Text>
    </Group>
  );
}
