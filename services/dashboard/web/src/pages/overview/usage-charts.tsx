import { SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import type { UsageRow } from '../../api/usage';
import { ChartCard } from '../../ui/chart-card';
import type { ChartSeries } from '../../ui/chart-series';
import { ErrorState } from '../../ui/error-state';
import { fillDays, utcDays } from '../../ui/fill-days';
import { formatCompact } from '../../ui/format-count';
import { formatMoney } from '../../ui/format-money';
import { formatDays } from '../../ui/format-time';
import { Money } from '../../ui/money';
import { fromDay, useRecentUsage } from './use-recent-usage';

interface ChartPlan {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly lines: readonly {
    name: string;
    color: ChartSeries['color'];
    value: (row: UsageRow) => number;
  }[];
}

const PLANS: readonly ChartPlan[] = [
  {
    title: 'Spend',
    format: formatMoney,
    lines: [{ name: 'Spend', color: 'indigo', value: ({ cost }) => cost }],
  },
  {
    title: 'Requests',
    format: formatCompact,
    lines: [{ name: 'Requests', color: 'teal', value: ({ calls }) => calls }],
  },
  {
    title: 'Tokens',
    format: formatCompact,
    lines: [
      { name: 'Input', color: 'grape', value: ({ input_tokens }) => input_tokens },
      { name: 'Output', color: 'cyan', value: ({ output_tokens }) => output_tokens },
    ],
  },
  {
    title: 'Failed requests',
    format: formatCompact,
    lines: [{ name: 'Failed', color: 'red', value: ({ errors }) => errors }],
  },
];

/** Spend, requests, tokens and errors of the last days. */
export function UsageCharts({ days }: { days: number }) {
  const usage = useRecentUsage('day', days);
  const rows = usage.data?.data;
  const charts = useMemo(() => {
    const now = Date.now();
    const named = utcDays(Date.parse(fromDay(days, now)), now);
    const filled = fillDays(rows ?? [], named);
    const categories = formatDays(named);
    return PLANS.map(({ title, format, lines }) => {
      const series = lines.map(({ name, color, value }) => ({ name, color, values: filled.map(value) }));
      const total = series.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0);
      return { title, format, categories, series, total };
    });
  }, [rows, days]);
  if (usage.error && !rows) {
    return (
      <ErrorState error={usage.error} title="Could not load usage" onRetry={() => void usage.refetch()} />
    );
  }
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {charts.map(({ title, format, categories, series, total }) => (
        <ChartCard
          key={title}
          title={title}
          total={format === formatMoney ? <Money usd={total} /> : format(total)}
          categoryTitle="Day (UTC)"
          categories={categories}
          series={series}
          format={format}
          wholeNumbers={format !== formatMoney}
          isLoading={usage.isPending}
        />
      ))}
    </SimpleGrid>
  );
}
