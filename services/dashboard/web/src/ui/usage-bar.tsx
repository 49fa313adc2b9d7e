import { Box, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { NEAR } from './near-limit';

interface UsageBarProps {
  title: string;
  used: number;
  /** Null: no limit. */
  limit: number | null;
  format: (value: number) => string;
  note?: ReactNode;
}

/** How much of a limit is used, as figures and as a bar that changes color near the limit. */
export function UsageBar({ title, used, limit, format, note }: UsageBarProps) {
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit);
  const color = share >= 1 ? 'red' : share >= NEAR ? 'orange' : 'indigo';
  return (
    <Box>
      <Group justify="space-between" gap="sm" wrap="nowrap" align="baseline">
        <Text size="sm">{title}</Text>
        <Text size="sm" ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
          <Text span inherit fw={600}>
            {format(used)}
          </Text>{' '}
          <Text span inherit c="dimmed">
            {limit === null ? 'no limit' : `of ${format(limit)}`}
          </Text>
        </Text>
      </Group>
      <Progress
        value={share * 100}
        color={color}
        size="sm"
        my={4}
        aria-label={`${title}: part of the limit that is used`}
      />
      {note && (
        <Text component="div" size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Box>
  );
}
