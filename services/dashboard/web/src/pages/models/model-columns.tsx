import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { type Model, modelPath } from '../../api/models';
import type { Column } from '../../ui/data-table';
import { formatCompact } from '../../ui/format-count';
import { KindBadges, StateBadges } from './model-badges';
import classes from './models-page.module.css';
import { priceLines } from './price-lines';

export const MODEL_COLUMNS: readonly Column<Model>[] = [
  {
    title: 'Model',
    cell: (model) => (
      <div className={classes.name}>
        <Group gap={6}>
          <Anchor component={Link} to={`/models/${modelPath(model.slug)}`} size="sm" fw={600}>
            {model.name}
          </Anchor>
          <StateBadges model={model} />
        </Group>
        <span className={classes.slug}>{model.slug}</span>
        <Aliases aliases={model.aliases} />
      </div>
    ),
  },
  { title: 'Type', cell: (model) => <KindBadges model={model} /> },
  {
    title: 'Context',
    numeric: true,
    cell: ({ context_length }) => (context_length > 0 ? formatCompact(context_length) : '–'),
  },
  { title: 'Price', cell: ({ pricing }) => <Prices lines={priceLines(pricing)} /> },
];

function Aliases({ aliases: [first, ...others] }: Pick<Model, 'aliases'>) {
  if (first === undefined) return null;
  return (
    <div className={classes.slug} title={[first, ...others].join('\n')}>
      also {first}
      {others.length > 0 && ` +${others.length}`}
    </div>
  );
}

function Prices({ lines }: { lines: ReturnType<typeof priceLines> }) {
  if (lines.length === 0) {
    return (
      <Text span size="sm" c="dimmed">
        No price yet
      </Text>
    );
  }
  return (
    <div className={classes.prices}>
      {lines.map(({ price, unit }) => (
        <span key={unit}>
          {price} <span className={classes.unit}>{unit}</span>
        </span>
      ))}
    </div>
  );
}
