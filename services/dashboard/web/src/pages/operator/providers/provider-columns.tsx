import { Anchor, Box, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Provider } from '../../../api/admin-providers';
import type { Column } from '../../../ui/data-table';
import { formatCount } from '../../../ui/format-count';
import { Errors, StateCell } from './health-cells';
import { kindName } from './kind-name';
import { providerState, totals } from './provider-state';

export const PROVIDER_COLUMNS: readonly Column<Provider>[] = [
  {
    title: 'Provider',
    cell: ({ id, name }) => (
      <Box miw={0}>
        <Anchor
          component={Link}
          to={providerPath(id)}
          size="sm"
          fw={500}
          style={{ overflowWrap: 'anywhere' }}
        >
          {name ?? id}
        </Anchor>
        {name !== null && name !== id && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
        )}
      </Box>
    ),
  },
  { title: 'Source', cell: (provider) => <Source provider={provider} /> },
  { title: 'State', cell: (provider) => <StateCell state={providerState(provider)} /> },
  { title: 'Credentials', numeric: true, cell: (provider) => <Credentials provider={provider} /> },
  { title: 'Targets', numeric: true, cell: ({ targets }) => formatCount(targets.length) },
  { title: 'Requests', numeric: true, cell: (provider) => formatCount(totals(provider).calls) },
  { title: 'Errors', numeric: true, cell: (provider) => <Errors {...totals(provider)} /> },
];

export const providerPath = (id: string): string => `/operator/providers/${encodeURIComponent(id)}`;

/** Where it is configured, and what is there. */
function Source({ provider: { source, kind, served_by } }: { provider: Provider }) {
  if (source === null) return <>–</>;
  const note = kind === null ? served_by === 'simulator' && 'Simulator' : kindName(kind);
  return (
    <Box miw={0} style={{ whiteSpace: 'nowrap' }}>
      <Text size="sm">{source === 'catalog' ? 'Catalog' : 'Environment'}</Text>
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Box>
  );
}

function Credentials({ provider: { source, credentials } }: { provider: Provider }) {
  if (source !== 'catalog') return <>–</>;
  const enabled = credentials.filter((credential) => credential.enabled).length;
  return <>{enabled === credentials.length ? enabled : `${enabled} of ${credentials.length}`}</>;
}
