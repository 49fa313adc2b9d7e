import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { formatCompact } from '../../ui/format-count';
import { Money } from '../../ui/money';
import { FIGURES, type NamedUsage, totalOf } from './usage-table-rows';

/** Totals of the range. */
export function UsageTotals({ rows }: { rows: readonly NamedUsage[] | undefined }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, md: FIGURES.length }} spacing="sm">
      {FIGURES.map(({ key, title }) => (
        <Paper key={key} withBorder p="sm">
          <Text size="sm" c="dimmed">
            {title}
          </Text>
          <Text component="div" size="lg" fw={650} mih={28}>
            {!rows ? (
              <Skeleton height={22} width={70} mt={3} />
            ) : key === 'cost' ? (
              <Money usd={totalOf(rows, key)} />
            ) : (
              formatCompact(totalOf(rows, key))
            )}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
