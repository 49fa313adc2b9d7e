import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { RequestRecord } from '../api/requests';
import { Time } from './time';

/** The time of a request, linked to its page. */
export function RequestLink({ request, relative = false }: { request: RequestRecord; relative?: boolean }) {
  return (
    <Anchor component={Link} to={`/requests/${request.id}`} size="sm">
      <Time at={request.created_at} relative={relative} />
    </Anchor>
  );
}
