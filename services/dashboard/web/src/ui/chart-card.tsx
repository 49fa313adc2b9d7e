import {
  ActionIcon,
  Box,
  Group,
  Paper,
  ScrollArea,
  Skeleton,
  Table,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { ChartNoAxesColumn, Table2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { ChartSeries } from './chart-series';

/** Chart.js is large, so it is loaded separately. */
const ChartCanvas = lazy(async () => ({ default: (await import('./chart-canvas')).ChartCanvas }));

interface ChartCardProps {
  title: string;
  /** The total of the chart. */
  total?: ReactNode;
  kind?: 'bar' | 'line';
  /** Header of the categories: `Day (UTC)`. */
  categoryTitle: string;
  categories: readonly string[];
  /** Must be the same object between renders with the same data; so must categories and format. */
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** For counts. */
  wholeNumbers?: boolean;
  isLoading?: boolean;
  heightPx?: number;
}

/** A chart, with its figures as a table for screen readers and for copying. */
export function ChartCard(props: ChartCardProps) {
  const { title, total, kind = 'bar', categories, series, format, isLoading = false, heightPx = 200 } = props;
  const [asTable, setAsTable] = useState(false);
  const toggle = asTable ? `${title}: show as chart` : `${title}: show as table`;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="xs">
        <Box>
          <Title order={2} size="sm" c="dimmed" fw={500}>
            {title}
          </Title>
          {total !== undefined && (
            <Text component="div" size="xl" fw={650} mih={31}>
              {isLoading ? <Skeleton height={24} width={90} /> : total}
            </Text>
          )}
        </Box>
        <Tooltip label={asTable ? 'Show as chart' : 'Show as table'} withArrow>
          <ActionIcon variant="subtle" color="gray" aria-label={toggle} onClick={() => setAsTable(!asTable)}>
            {asTable ? <ChartNoAxesColumn size={16} aria-hidden /> : <Table2 size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      </Group>
      <Box h={heightPx} pos="relative">
        {isLoading ? (
          <Skeleton h="100%" />
        ) : asTable ? (
          <FiguresTable {...props} />
        ) : (
          <Suspense fallback={<Skeleton h="100%" />}>
            <ChartCanvas
              label={`${title}, as a chart. The button before shows it as a table.`}
              kind={kind}
              categories={categories}
              series={series}
              format={format}
              wholeNumbers={props.wholeNumbers ?? false}
            />
          </Suspense>
        )}
      </Box>
    </Paper>
  );
}

function FiguresTable({ title, categoryTitle, categories, series, format }: ChartCardProps) {
  return (
    <ScrollArea h="100%" type="auto" viewportProps={{ tabIndex: 0 }}>
      <Table aria-label={title} stickyHeader verticalSpacing={4} fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{categoryTitle}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {categories.map((category, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two keys may have the same name.
            <Table.Tr key={index}>
              <Table.Td>{category}</Table.Td>
              {series.map(({ name, values }) => (
                <Table.Td key={name} ta="right">
                  {format(values[index] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
