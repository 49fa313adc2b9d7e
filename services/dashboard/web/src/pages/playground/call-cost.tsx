import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { formatDuration } from '../../ui/format-time';
import { Money } from '../../ui/money';
import { useCallRecord } from './use-call-record';

/** Cost of a completed request as soon as it is recorded, with a link to the request. */
export function CallCost({ requestId, keyId }: { requestId: string; keyId: string }) {
  const { data: record } = useCallRecord(requestId, keyId);
  return (
    <Text span size="xs" c="dimmed">
      {record && (
        <>
          <Money usd={record.cost} />
          {record.timings && ` · ${formatDuration(record.timings.total_ms)}`}
          {' · '}
        </>
      )}
      <Anchor component={Link} to={`/requests/${requestId}`} size="xs" underline="always">
        Request
      </Anchor>
    </Text>
  );
}
