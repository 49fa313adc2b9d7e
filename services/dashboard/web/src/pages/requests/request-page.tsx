import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { ApiError } from '../../api/api-error';
import { getRequest, type RequestRecord } from '../../api/requests';
import { EmptyState } from '../../ui/empty-state';
import { RequestLayout } from '../../ui/request-layout';
import { RequestDetails } from './request-details';
import { useKeyNames } from './use-key-names';
import { WhatToDo } from './what-to-do';

/** A request is recorded within three seconds of its end. */
const RETRIES = 3;
const RETRY_DELAY_MS = 1_200;
const PROGRESS_INTERVAL_MS = 5_000;

/** One request, and if it failed, what to do about it. */
export function RequestPage() {
  const { id = '' } = useParams();
  const { nameOf, isThere } = useKeyNames();
  const request = useQuery({
    queryKey: ['requests', 'one', id],
    queryFn: () => getRequest(id),
    retry: (failures, error) => failures < RETRIES && (!(error instanceof ApiError) || error.status === 404),
    retryDelay: RETRY_DELAY_MS,
    refetchInterval: ({ state }) => (state.data?.in_progress ? PROGRESS_INTERVAL_MS : false),
  });
  return (
    <RequestLayout
      request={request}
      listPath="/requests"
      notFound={<NotFound onRetry={() => void request.refetch()} />}
      notices={(record) => <Notices record={record} keyExists={isThere(record.key_id)} />}
      details={(record) => (
        <RequestDetails record={record} keyName={nameOf(record.key_id)} keyExists={isThere(record.key_id)} />
      )}
    />
  );
}

function Notices({ record, keyExists }: { record: RequestRecord; keyExists: boolean }) {
  if (record.error_code) return <WhatToDo record={record} keyExists={keyExists} />;
  if (record.in_progress)
    return (
      <Alert color="indigo" title="Video in progress">
        <Text size="sm">This page updates when the task ends.</Text>
      </Alert>
    );
  if (record.status === null || record.status < 400) return null;
  return (
    <Alert color="orange" title="The client disconnected before the response was complete">
      <Text size="sm">Usage up to that point is charged.</Text>
    </Alert>
  );
}

function NotFound({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState
      title="Request not found"
      action={
        <Button variant="default" size="xs" onClick={onRetry}>
          Check again
        </Button>
      }
    >
      Requests appear within three seconds of completion and are kept for several months. Requests without a
      valid key are not listed.
    </EmptyState>
  );
}
