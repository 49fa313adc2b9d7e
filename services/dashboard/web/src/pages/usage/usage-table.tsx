import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { modelPath } from '../../api/models';
import { type Column, DataTable } from '../../ui/data-table';
import { formatCount } from '../../ui/format-count';
import { formatDays } from '../../ui/format-time';
import { Money } from '../../ui/money';
import { wholeList } from '../../ui/whole-list';
import type { GroupBy } from './usage-range';
import { FIGURES, type NamedUsage } from './usage-table-rows';

const FIGURE_COLUMNS: readonly Column<NamedUsage>[] = FIGURES.map(({ key, title }) => ({
  title,
  numeric: true,
  cell: (row) => (key === 'cost' ? <Money usd={row.cost} /> : formatCount(row[key])),
}));

const NAMES: Readonly<Record<Exclude<GroupBy, 'day'>, Column<NamedUsage>>> = {
  model: {
    title: 'Model',
    cell: ({ id, name }) =>
      id === '' ? (
        name
      ) : (
        <Anchor component={Link} to={`/models/${modelPath(id)}`} size="sm">
          {name}
        </Anchor>
      ),
  },
  key: {
    title: 'Key',
    cell: ({ id, name }) =>
      id === '' ? (
        name
      ) : (
        <Anchor component={Link} to={`/keys/${id}`} size="sm">
          {name}
        </Anchor>
      ),
  },
};

function dayColumn(rows: readonly NamedUsage[]): Column<NamedUsage> {
  const days = rows.map(({ id }) => id);
  const names = new Map(formatDays(days).map((name, index) => [days[index], name]));
  return { title: 'Day (UTC)', cell: ({ id }) => names.get(id) };
}

/** Days newest first, others by cost; days without requests appear only in the chart. */
export function UsageTable({ by, rows }: { by: GroupBy; rows: readonly NamedUsage[] | undefined }) {
  const shown = by === 'day' ? (rows ?? []).filter(({ calls }) => calls > 0).toReversed() : (rows ?? []);
  return (
    <DataTable
      label={`Usage by ${by}`}
      columns={[by === 'day' ? dayColumn(rows ?? []) : NAMES[by], ...FIGURE_COLUMNS]}
      list={{ ...wholeList(shown), isLoading: !rows }}
      rowKey={({ id }) => id}
      empty={null}
    />
  );
}
