import { Group, SegmentedControl, VisuallyHidden } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ChartCard } from '../../ui/chart-card';
import type { ChartSeries } from '../../ui/chart-series';
import { formatCompact } from '../../ui/format-count';
import { formatMoney } from '../../ui/format-money';
import { formatDays } from '../../ui/format-time';
import type { GroupBy } from './usage-range';
import { type Figure, type NamedUsage, totalOf } from './usage-table-rows';

/** More bars are hard to tell apart; the rest are combined. */
const MAX_BARS = 12;

interface Plan {
  readonly title: string;
  readonly lines: readonly { name: string; figure: Figure; color: ChartSeries['color'] }[];
  readonly format: (value: number) => string;
}

const PLANS = {
  spend: { title: 'Spend', lines: [{ name: 'Spend', figure: 'cost', color: 'indigo' }], format: formatMoney },
  calls: {
    title: 'Requests',
    lines: [{ name: 'Requests', figure: 'calls', color: 'teal' }],
    format: formatCompact,
  },
  tokens: {
    title: 'Tokens',
    lines: [
      { name: 'Input', figure: 'input_tokens', color: 'grape' },
      { name: 'Output', figure: 'output_tokens', color: 'cyan' },
    ],
    format: formatCompact,
  },
  failed: {
    title: 'Failed',
    lines: [{ name: 'Failed', figure: 'errors', color: 'red' }],
    format: formatCompact,
  },
} as const satisfies Record<string, Plan>;
type PlanName = keyof typeof PLANS;

const CHOICES = Object.entries(PLANS).map(([value, { title }]) => ({ value, label: title }));
const CATEGORY_TITLES: Readonly<Record<GroupBy, string>> = { day: 'Day (UTC)', model: 'Model', key: 'Key' };

/** One metric by day, model or key. */
export function UsageChart({ by, rows }: { by: GroupBy; rows: readonly NamedUsage[] | undefined }) {
  const [chosen, setChosen] = useState<PlanName>('spend');
  const plan: Plan = PLANS[chosen];
  const { categories, series } = useMemo(() => {
    const bars = by === 'day' ? (rows ?? []) : withRest(rows ?? [], plan);
    const names = bars.map(({ name }) => name);
    return {
      categories: by === 'day' ? formatDays(names) : names,
      series: plan.lines.map(({ name, figure, color }) => ({
        name,
        color,
        values: bars.map((row) => row[figure]),
      })),
    };
  }, [rows, by, plan]);
  const total = plan.lines.reduce((sum, { figure }) => sum + totalOf(rows ?? [], figure), 0);
  return (
    <div>
      <VisuallyHidden component="h2">Chart</VisuallyHidden>
      <Group justify="flex-end" mb={8}>
        <SegmentedControl
          aria-label="Metric"
          size="xs"
          data={CHOICES}
          value={chosen}
          onChange={(value) => setChosen(value as PlanName)}
        />
      </Group>
      <ChartCard
        title={plan.title}
        total={plan.format(total)}
        categoryTitle={CATEGORY_TITLES[by]}
        categories={categories}
        series={series}
        format={plan.format}
        isLoading={!rows}
        heightPx={260}
      />
    </div>
  );
}

function withRest(rows: readonly NamedUsage[], { lines }: Plan): readonly NamedUsage[] {
  const sizeOf = (row: NamedUsage) => lines.reduce((sum, { figure }) => sum + row[figure], 0);
  const sorted = rows.filter((row) => sizeOf(row) > 0).toSorted((one, other) => sizeOf(other) - sizeOf(one));
  if (sorted.length <= MAX_BARS) return sorted;
  const rest = sorted.slice(MAX_BARS - 1);
  const sums = Object.fromEntries(lines.map(({ figure }) => [figure, totalOf(rest, figure)]));
  return [
    ...sorted.slice(0, MAX_BARS - 1),
    { ...rest[0]!, ...sums, id: 'rest', name: `${rest.length} others` },
  ];
}
