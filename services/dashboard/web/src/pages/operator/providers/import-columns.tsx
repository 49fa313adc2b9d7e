import { Anchor, Box, Checkbox, Text, TextInput } from '@mantine/core';
import { Link } from 'react-router';
import { modelPath } from '../../../api/models';
import type { Column } from '../../../ui/data-table';
import { formatMoney } from '../../../ui/format-money';
import { parseCount } from '../models/parse-count';
import { type Edit, type ImportRow, isPrice, needsContext, otherRates } from './import-rows';

interface ImportColumnsProps {
  selected: readonly ImportRow[];
  select: (rows: readonly ImportRow[], isSelected: boolean) => void;
  edit: (row: ImportRow, part: Edit) => void;
}

export function importColumns({ selected, select, edit }: ImportColumnsProps): Column<ImportRow>[] {
  const price = (which: 'input' | 'output', title: string): Column<ImportRow> => ({
    title,
    cell: (row) => <Price row={row} which={which} onChange={(text) => edit(row, { [which]: text })} />,
  });
  return [
    {
      title: 'Import',
      cell: (row) => (
        <Checkbox
          aria-label={`Import ${row.model.upstream_model}`}
          title={row.problem}
          disabled={row.problem !== undefined}
          checked={selected.includes(row)}
          onChange={(event) => select([row], event.currentTarget.checked)}
        />
      ),
    },
    { title: 'Upstream model', cell: ({ model }) => <UpstreamModel model={model} /> },
    { title: 'Slug', cell: (row) => <Slug row={row} onChange={(slug) => edit(row, { slug })} /> },
    {
      title: 'Context',
      cell: (row) => <Context row={row} onChange={(context) => edit(row, { context })} />,
    },
    { title: 'Cost in / out', numeric: true, cell: ({ model }) => <Cost model={model} /> },
    price('input', 'Price in'),
    price('output', 'Price out'),
  ];
}

function UpstreamModel({ model }: Pick<ImportRow, 'model'>) {
  const { upstream_model, name, output_modalities, slugs } = model;
  const outputs = output_modalities.filter((kind) => kind !== 'text');
  return (
    <Box miw={120}>
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {upstream_model}
      </Text>
      {name && name !== upstream_model && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
      )}
      {outputs.length > 0 && (
        <Text size="xs" c="dimmed">
          generates {outputs.join(', ')}
        </Text>
      )}
      {slugs.length > 0 && <Listed slugs={slugs} />}
    </Box>
  );
}

function Slug({ row, onChange }: { row: ImportRow; onChange: (slug: string) => void }) {
  const { model, slug, isExisting, problem } = row;
  return (
    <Box miw={{ base: 0, sm: 200 }} flex="1 1 0" maw={{ base: 260, sm: 'none' }}>
      <TextInput
        aria-label={`Slug of ${model.upstream_model}`}
        size="xs"
        maxLength={200}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={slug}
        title={slug}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={slug.trim() === ''}
      />
      {isExisting && problem === undefined && (
        <Text size="xs" c="dimmed" mt={2}>
          Exists: becomes one of its targets
        </Text>
      )}
    </Box>
  );
}

function Context({ row, onChange }: { row: ImportRow; onChange: (context: string) => void }) {
  const { model, context, isExisting } = row;
  return (
    <TextInput
      aria-label={`Context length of ${model.upstream_model}`}
      size="xs"
      w={92}
      placeholder={isExisting ? 'Its own' : needsContext(model) ? 'Required' : 'None'}
      inputMode="numeric"
      autoComplete="off"
      disabled={isExisting}
      value={isExisting ? '' : context}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={!isExisting && context.trim() !== '' && parseCount(context) === undefined}
    />
  );
}

function Cost({ model }: Pick<ImportRow, 'model'>) {
  const { cost, unpriced, price_problem } = model;
  const others = otherRates(model);
  const money = (usd: number | undefined) => (usd === undefined ? '–' : formatMoney(usd));
  return (
    <Box miw={0}>
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {cost ? `${money(cost.tokens?.input)} / ${money(cost.tokens?.output)}` : '–'}
      </Text>
      {others.length > 0 && (
        <Text size="xs" c="dimmed">
          and {others.join(', ')}
        </Text>
      )}
      {unpriced.length > 0 && (
        <Text size="xs" c="var(--mantine-color-orange-text)">
          not billed: {unpriced.join(', ')}
        </Text>
      )}
      {price_problem !== null && (
        <Text size="xs" c="var(--mantine-color-orange-text)" maw={220} style={{ overflowWrap: 'anywhere' }}>
          no price: {price_problem}
        </Text>
      )}
    </Box>
  );
}

interface PriceProps {
  row: ImportRow;
  which: 'input' | 'output';
  onChange: (text: string) => void;
}

function Price({ row, which, onChange }: PriceProps) {
  const { model, isExisting } = row;
  const text = row[which];
  return (
    <TextInput
      aria-label={`${which === 'input' ? 'Input' : 'Output'} price of ${model.upstream_model}`}
      size="xs"
      w={110}
      leftSectionWidth={24}
      leftSection="$"
      placeholder={isExisting ? 'Its own' : 'Required'}
      inputMode="decimal"
      autoComplete="off"
      disabled={isExisting}
      value={isExisting ? '' : text}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={!isExisting && text.trim() !== '' && !isPrice(text)}
    />
  );
}

function Listed({ slugs }: { slugs: readonly string[] }) {
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      in the catalog as{' '}
      {slugs.map((slug, index) => (
        <span key={slug}>
          {index > 0 && ', '}
          <Anchor component={Link} to={`/operator/models/${modelPath(slug)}`} inherit underline="always">
            {slug}
          </Anchor>
        </span>
      ))}
    </Text>
  );
}
