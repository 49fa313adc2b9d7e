import { Text } from '@mantine/core';
import type { RequestRecord } from '../../api/requests';
import type { Column } from '../../ui/data-table';
import { formatDuration } from '../../ui/format-time';
import { HttpStatus } from '../../ui/http-status';
import { Money } from '../../ui/money';
import { RequestLink } from '../../ui/request-link';
import { amountOf } from './amount-of';
import classes from './requests-page.module.css';

export const requestColumns = (keyName: (id: string) => string): readonly Column<RequestRecord>[] => [
  { title: 'Time', cell: (request) => <RequestLink request={request} /> },
  {
    title: 'Status',
    cell: ({ status, error_code }) => (
      <span className={classes.status}>
        <HttpStatus status={status} />
        {error_code && (
          <Text span size="xs" ff="monospace">
            {error_code}
          </Text>
        )}
      </span>
    ),
  },
  { title: 'Model', cell: ({ model }) => <span className={classes.name}>{model ?? '–'}</span> },
  { title: 'Key', cell: ({ key_id }) => <span className={classes.name}>{keyName(key_id)}</span> },
  {
    title: 'Usage',
    numeric: true,
    cell: (record) => <span className={classes.figure}>{amountOf(record)}</span>,
  },
  {
    title: 'Cost',
    numeric: true,
    cell: ({ cost, held, in_progress }) =>
      in_progress ? (
        <Text span size="sm" c="dimmed" className={classes.figure}>
          <Money usd={held} /> held
        </Text>
      ) : (
        <Money usd={cost} />
      ),
  },
  {
    title: 'Duration',
    numeric: true,
    cell: ({ timings }) => (
      <span className={classes.figure}>{timings ? formatDuration(timings.total_ms) : '–'}</span>
    ),
  },
];
