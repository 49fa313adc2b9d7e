import { Anchor, Box, Group, Paper, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ErrorState } from '../../ui/error-state';
import { formatCompact } from '../../ui/format-count';
import { Money } from '../../ui/money';

export interface TopEntry {
  readonly id: string;
  readonly name: string;
  readonly to: string;
  readonly cost: number;
  readonly calls: number;
}

interface TopListProps {
  title: string;
  /** Undefined while loading. */
  entries: readonly TopEntry[] | undefined;
  error: Error | null;
  onRetry: () => void;
  empty: ReactNode;
}

export const TOP_ENTRIES = 5;

/** The highest spenders, with their part of the total. */
export function TopList({ title, entries, error, onRetry, empty }: TopListProps) {
  const most = Math.max(...(entries ?? []).map(({ cost }) => cost), 0);
  return (
    <Paper withBorder p="md" mih={280}>
      <Title order={2} size="h5" mb="md">
        {title}
      </Title>
      {error && !entries ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : entries?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <Stack gap="sm" component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
          {entries ? entries.map((entry) => <Entry key={entry.id} {...entry} most={most} />) : SKELETONS}
        </Stack>
      )}
    </Paper>
  );
}

function Entry({ name, to, cost, calls, most }: TopEntry & { most: number }) {
  return (
    <Box component="li">
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Anchor component={Link} to={to} size="sm" truncate>
          {name}
        </Anchor>
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          <Money usd={cost} />{' '}
          <Text span size="xs" c="dimmed">
            {formatCompact(calls)} {calls === 1 ? 'request' : 'requests'}
          </Text>
        </Text>
      </Group>
      <Progress value={most === 0 ? 0 : (cost / most) * 100} size={4} mt={4} aria-hidden />
    </Box>
  );
}

const SKELETONS = Array.from({ length: TOP_ENTRIES }, (_, index) => (
  // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are identical.
  <Skeleton key={index} component="li" height={30} />
));
