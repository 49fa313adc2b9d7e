import { Group, Text } from '@mantine/core';

export function Logo() {
  return (
    <Group gap={8} wrap="nowrap">
      <img src="/favicon.svg" width={26} height={26} alt="" />
      <Text component="span" fw={650} style={{ whiteSpace: 'nowrap' }}>
        Model Gateway
      </Text>
    </Group>
  );
}
