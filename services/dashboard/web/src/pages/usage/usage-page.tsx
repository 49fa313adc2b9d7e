import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { ChartNoAxesColumn, Download } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import { EmptyState } from '../../ui/empty-state';
import { ErrorState } from '../../ui/error-state';
import { PageHeader } from '../../ui/page-header';
import { saveFile } from '../../ui/save-file';
import { toCsv } from './to-csv';
import { UsageChart } from './usage-chart';
import { daysOf, GROUPS, MAX_DAYS, RANGES, readView, toParams, type UsageView } from './usage-range';
import { UsageTable } from './usage-table';
import { type NamedUsage, toLines } from './usage-table-rows';
import { UsageTotals } from './usage-totals';
import { useUsage } from './use-usage';

export function UsagePage() {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const days = daysOf(view, Date.now());
  const { rows, error, isStale, reload } = useUsage(view.by, days);
  const change = (changed: Partial<UsageView>) =>
    setParams(toParams({ ...view, ...changed }), { replace: true });
  return (
    <>
      <PageHeader
        title="Usage"
        description="Usage and cost of your keys, by UTC day"
        actions={<Export view={view} days={days} rows={isStale ? undefined : rows} />}
      />
      <Choices view={view} days={days} onChange={change} />
      {error && !rows ? (
        <ErrorState error={error} title="Could not load usage" onRetry={reload} />
      ) : rows?.every(({ calls }) => calls === 0) ? (
        <NothingUsed />
      ) : (
        <Stack aria-busy={!rows || isStale} style={{ opacity: isStale ? 0.6 : 1 }}>
          <UsageTotals rows={rows} />
          <UsageChart by={view.by} rows={rows} />
          <UsageTable by={view.by} rows={rows} />
        </Stack>
      )}
    </>
  );
}

interface ChoicesProps {
  view: UsageView;
  days: { from: string; to: string } | undefined;
  onChange: (changed: Partial<UsageView>) => void;
}

function Choices({ view, days, onChange }: ChoicesProps) {
  const isCustom = view.range === 'custom';
  const problem =
    isCustom && view.from && view.to && !days
      ? `Not before the first day, and at most ${MAX_DAYS} days`
      : undefined;
  return (
    <Stack gap="sm" mb="md">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Group by"
          size="xs"
          data={[...GROUPS]}
          value={view.by}
          onChange={(by) => onChange({ by: by as UsageView['by'] })}
        />
        <SegmentedControl
          aria-label="Period"
          size="xs"
          data={[...RANGES]}
          value={view.range}
          onChange={(range) => onChange({ range, ...(range === 'custom' && days) })}
        />
      </Group>
      {isCustom && (
        <Group gap="sm" align="flex-start">
          <TextInput
            type="date"
            label="First day (UTC)"
            value={view.from}
            onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label="Last day (UTC)"
            value={view.to}
            error={problem}
            onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
          />
        </Group>
      )}
    </Stack>
  );
}

interface ExportProps {
  view: UsageView;
  days: { from: string; to: string } | undefined;
  rows: readonly NamedUsage[] | undefined;
}

/** Exports the shown rows. */
function Export({ view: { by }, days, rows }: ExportProps) {
  const save = () => {
    if (!rows || !days) return;
    const title = GROUPS.find(({ value }) => value === by)!.label;
    saveFile(
      `usage-by-${by}-${days.from}-to-${days.to}.csv`,
      new Blob([toCsv(toLines(title, rows))], { type: 'text/csv;charset=utf-8' }),
    );
  };
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Download size={14} aria-hidden />}
      disabled={!rows?.length || !days}
      onClick={save}
    >
      Export CSV
    </Button>
  );
}

function NothingUsed() {
  return (
    <EmptyState
      title="No requests in this period"
      icon={ChartNoAxesColumn}
      action={
        <Button component={Link} to="/playground" variant="default" size="xs">
          Open the playground
        </Button>
      }
    >
      Choose a longer period, or make a request: it is counted within seconds.
    </EmptyState>
  );
}
