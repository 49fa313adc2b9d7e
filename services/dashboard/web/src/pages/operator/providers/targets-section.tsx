import { Anchor, Box, Button, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CircuitState, Provider, TargetHealth } from '../../../api/admin-providers';
import { modelPath } from '../../../api/models';
import { type Column, DataTable } from '../../../ui/data-table';
import { formatCount } from '../../../ui/format-count';
import { Section } from '../../../ui/section';
import { StatusBadge } from '../../../ui/status-badge';
import { wholeList } from '../../../ui/whole-list';
import { Errors, LastFailure, Latency } from './health-cells';
import { isIdle, isNotSetUp } from './target-state';

const CIRCUITS: Readonly<Record<CircuitState, string>> = {
  closed: 'Receives requests',
  cooling: 'Rate limited (429); other targets are tried first',
  suspect: 'Failed recently; other targets are tried first',
  open: 'Failed repeatedly; gets no requests until a probe succeeds',
  'half-open': 'A single probe request is testing it',
};
const MODELS_SHOWN = 2;
const TARGETS_SHOWN = 25;

const columnsOf = (servedBy: Provider['served_by']): readonly Column<TargetHealth>[] => [
  {
    title: 'Target',
    cell: ({ upstream_model, service, models }) => (
      <Box miw={0}>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {upstream_model}
        </Text>
        <Text size="xs" c="dimmed">
          {service} · <Models slugs={models} />
        </Text>
      </Box>
    ),
  },
  {
    title: 'Circuit',
    cell: (target) => <Circuit target={target} isMissing={isNotSetUp(target, servedBy)} />,
  },
  { title: 'Requests', numeric: true, cell: ({ calls }) => formatCount(calls) },
  { title: 'Errors', numeric: true, cell: (target) => <Errors {...target} /> },
  { title: 'Latency', numeric: true, cell: ({ latency }) => <Latency latency={latency} /> },
  { title: 'Last failure', cell: ({ last_failure }) => <LastFailure failure={last_failure} /> },
];

interface TargetsSectionProps {
  provider: Provider;
  onTest: (model: string) => void;
  isTesting: boolean;
}

/** The upstream models of a provider, and their health; those with something to report first. */
export function TargetsSection({ provider, onTest, isTesting }: TargetsSectionProps) {
  const { id, source, served_by, targets } = provider;
  const [shown, setShown] = useState(TARGETS_SHOWN);
  const isQuiet = (target: TargetHealth) => isIdle(target, served_by);
  const sorted = [...targets.filter((target) => !isQuiet(target)), ...targets.filter(isQuiet)];
  const test: Column<TargetHealth> = {
    title: 'Test',
    titleHidden: true,
    numeric: true,
    // Probes are made by chat.
    cell: ({ service, upstream_model }) =>
      service === 'chat' && (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Test ${upstream_model}`}
          title="Makes a short call, which the provider charges"
          disabled={isTesting}
          onClick={() => onTest(upstream_model)}
        >
          Test
        </Button>
      ),
  };
  const columns = columnsOf(served_by);
  return (
    <Section title="Targets" description="Upstream models that models of the catalog call">
      <DataTable
        label={`Targets of ${id}`}
        columns={source === null ? columns : [...columns, test]}
        list={{
          ...wholeList(sorted.slice(0, shown)),
          hasMore: sorted.length > shown,
          loadMore: () => setShown(shown + TARGETS_SHOWN),
        }}
        rowKey={({ service, upstream_model }) => `${service} ${upstream_model}`}
        empty={
          <Text size="sm" c="dimmed">
            No model of the catalog uses it.
          </Text>
        }
      />
    </Section>
  );
}

function Models({ slugs }: { slugs: readonly string[] }) {
  if (slugs.length === 0) return <>not in use</>;
  const more = slugs.length - MODELS_SHOWN;
  return (
    <>
      {slugs.slice(0, MODELS_SHOWN).map((slug, index) => (
        <span key={slug}>
          {index > 0 && ', '}
          <Anchor component={Link} to={`/operator/models/${modelPath(slug)}`} inherit>
            {slug}
          </Anchor>
        </span>
      ))}
      {more > 0 && <span title={slugs.join(', ')}> and {more} more</span>}
    </>
  );
}

function Circuit({ target: { circuit, circuits }, isMissing }: { target: TargetHealth; isMissing: boolean }) {
  if (isMissing) {
    return (
      <Box miw={0}>
        <StatusBadge status="away">Not configured</StatusBadge>
        <Text size="xs" c="dimmed">
          Every request to it fails
        </Text>
      </Box>
    );
  }
  if (circuit === null) return <StatusBadge status="off">Unknown</StatusBadge>;
  const states = Object.entries(circuits);
  return (
    <Box miw={0}>
      <Tooltip label={CIRCUITS[circuit]} withArrow multiline maw={260}>
        {/* The words are for keyboards and screen readers too. */}
        <Box
          component="span"
          display="inline-flex"
          tabIndex={0}
          aria-label={`${circuit}: ${CIRCUITS[circuit]}`}
          role="img"
        >
          <StatusBadge status={circuit} />
        </Box>
      </Tooltip>
      {states.length > 1 && (
        <Text size="xs" c="dimmed">
          {states.map(([state, count]) => `${count} ${state}`).join(', ')}
        </Text>
      )}
    </Box>
  );
}
