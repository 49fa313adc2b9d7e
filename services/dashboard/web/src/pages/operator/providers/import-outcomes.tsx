import { Anchor, Box, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { ImportOutcome } from '../../../api/admin-providers';
import { modelPath } from '../../../api/models';
import { type Column, DataTable } from '../../../ui/data-table';
import { Section } from '../../../ui/section';
import { StatusBadge } from '../../../ui/status-badge';
import { wholeList } from '../../../ui/whole-list';

const OUTCOMES: Readonly<Record<ImportOutcome['outcome'], { label: string; status: string }>> = {
  created: { label: 'Created', status: 'active' },
  target_added: { label: 'Target added', status: 'active' },
  unchanged: { label: 'Unchanged', status: 'off' },
  refused: { label: 'Refused', status: 'away' },
};

const COLUMNS: readonly Column<ImportOutcome>[] = [
  {
    title: 'Model',
    cell: ({ slug, outcome }) =>
      outcome === 'refused' ? (
        slug
      ) : (
        <Anchor
          component={Link}
          to={`/operator/models/${modelPath(slug)}`}
          size="sm"
          style={{ overflowWrap: 'anywhere' }}
        >
          {slug}
        </Anchor>
      ),
  },
  { title: 'Upstream model', cell: ({ upstream_model }) => upstream_model },
  {
    title: 'Outcome',
    cell: ({ outcome, detail }) => (
      <Box miw={0}>
        <StatusBadge status={OUTCOMES[outcome].status}>{OUTCOMES[outcome].label}</StatusBadge>
        {detail && (
          <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
            {detail}
          </Text>
        )}
      </Box>
    ),
  },
];

/** The outcome of each model of an import, refused ones first. */
export function ImportOutcomes({ outcomes }: { outcomes: readonly ImportOutcome[] }) {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  const imported = outcomes.filter(({ outcome }) => outcome !== 'refused');
  return (
    <Section
      title="Result of the import"
      description={
        <span role="status">
          {imported.length} imported{refused.length > 0 && `, ${refused.length} refused`}
        </span>
      }
    >
      <DataTable
        label="Result of the import"
        columns={COLUMNS}
        list={wholeList([...refused, ...imported])}
        rowKey={({ upstream_model, slug }) => `${upstream_model} ${slug}`}
        empty={null}
      />
    </Section>
  );
}
