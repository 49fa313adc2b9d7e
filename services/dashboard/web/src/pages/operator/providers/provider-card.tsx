import { Anchor, Box, Button, Code, Group, Paper, Text, Title, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CircuitState, ProviderHealth, TargetHealth } from '../../../api/admin-providers';
import { type Column, DataTable } from '../../../ui/data-table';
import { formatCount } from '../../../ui/format-count';
import { formatDuration } from '../../../ui/format-time';
import { StatusBadge } from '../../../ui/status-badge';
import { Time } from '../../../ui/time';
import { wholeList } from '../../../ui/whole-list';
import { isIdle, isNotSetUp } from './target-state';

const SERVED_BY = {
  credentials: { label: 'Live credentials', status: 'active' },
  simulator: { label: 'Simulator', status: 'simulator' },
  nobody: { label: 'Not configured', status: 'off' },
} as const;

const CIRCUITS: Readonly<Record<CircuitState, string>> = {
  closed: 'Receives requests',
  cooling: 'Rate limited (429); other targets are tried first',
  suspect: 'Failed recently; other targets are tried first',
  open: 'Failed repeatedly; gets no requests until a probe succeeds',
  'half-open': 'A single probe request is testing it',
};
const MODELS_SHOWN = 2;

const columnsOf = (servedBy: ProviderHealth['served_by']): readonly Column<TargetHealth>[] => [
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
  { title: 'Errors', numeric: true, cell: (target) => <Errors target={target} /> },
  {
    title: 'Latency',
    numeric: true,
    cell: ({ latency }) =>
      latency ? (
        <Box miw={0}>
          <Text size="sm">{formatDuration(latency.mean_ms)}</Text>
          <Text size="xs" c="dimmed">
            max {formatDuration(latency.max_ms)}
          </Text>
        </Box>
      ) : (
        '–'
      ),
  },
  { title: 'Last failure', cell: (target) => <LastFailure target={target} /> },
];

/** A provider, its credentials, and the health of its targets. */
export function ProviderCard({ provider: { id, served_by, targets } }: { provider: ProviderHealth }) {
  const [isOpen, setOpen] = useState(false);
  const shown = targets.filter((target) => !isIdle(target, served_by));
  const idle = targets.length - shown.length;
  const isBare = shown.length === 0 && !isOpen && targets.length > 0;
  const served = served_by === null ? { label: 'Unknown', status: 'off' } : SERVED_BY[served_by];
  return (
    <Paper withBorder p="md">
      <Group gap="sm" mb={isBare ? 0 : 'sm'}>
        <Title order={2} size="h5">
          {id}
        </Title>
        <StatusBadge status={served.status}>{served.label}</StatusBadge>
        {idle > 0 && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            fw={400}
            ml="auto"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${idle} without requests: targets of ${id}`}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'} {idle} without requests
          </Button>
        )}
      </Group>
      {!isBare && (
        <DataTable
          label={`Targets of ${id}`}
          columns={columnsOf(served_by)}
          list={wholeList(isOpen ? targets : shown)}
          rowKey={({ service, upstream_model }) => `${service} ${upstream_model}`}
          empty={
            <Text size="sm" c="dimmed">
              No model in the catalog uses it.
            </Text>
          }
        />
      )}
    </Paper>
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
          <Anchor component={Link} to={`/operator/models/${slug}`} inherit>
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

function Errors({ target: { calls, errors } }: { target: TargetHealth }) {
  if (errors === 0) return <>0</>;
  const percent = (errors / Math.max(calls, errors)) * 100;
  const share = percent < 1 ? '<1%' : `${Math.round(percent)}%`;
  return (
    <Text span size="sm" c="var(--mantine-color-error)">
      {formatCount(errors)} ({share})
    </Text>
  );
}

function LastFailure({ target: { last_failure } }: { target: TargetHealth }) {
  if (!last_failure) return <>None</>;
  const { code, status, at } = last_failure;
  return (
    <Box miw={0}>
      <Code>{code}</Code>
      <Text size="xs" c="dimmed">
        {status !== null && `status ${status}, `}
        <Time at={at} relative />
      </Text>
    </Box>
  );
}
