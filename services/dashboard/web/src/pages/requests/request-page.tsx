import { Alert, Anchor, Button, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../api/api-error';
import { getRequest, type RequestRecord } from '../../api/requests';
import { CostFacts } from '../../ui/cost-facts';
import { EmptyState } from '../../ui/empty-state';
import { ErrorState } from '../../ui/error-state';
import { HttpStatus } from '../../ui/http-status';
import { PageHeader } from '../../ui/page-header';
import { TimingBar } from '../../ui/timing-bar';
import { CallFacts } from './call-facts';
import { useKeyNames } from './use-key-names';
import { WhatToDo } from './what-to-do';

/** A call is written down within three seconds of its end. */
const RETRIES = 3;
const RETRY_DELAY_MS = 1_200;
const PROGRESS_INTERVAL_MS = 5_000;

/** One call, and if it failed, what to do about it. */
export function RequestPage() {
  const { id = '' } = useParams();
  const request = useQuery({
    queryKey: ['requests', 'one', id],
    queryFn: () => getRequest(id),
    retry: (failures, error) => failures < RETRIES && (!(error instanceof ApiError) || error.status === 404),
    retryDelay: RETRY_DELAY_MS,
    refetchInterval: ({ state }) => (state.data?.in_progress ? PROGRESS_INTERVAL_MS : false),
  });
  return (
    <>
      <Anchor component={Link} to="/requests" size="sm">
        All requests
      </Anchor>
      <PageHeader
        title="Request"
        description={
          <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
        }
        actions={request.data && <HttpStatus status={request.data.status} />}
      />
      {request.data ? (
        <Content record={request.data} />
      ) : request.error ? (
        <Failure error={request.error} onRetry={() => void request.refetch()} />
      ) : (
        <Loading />
      )}
    </>
  );
}

function Content({ record }: { record: RequestRecord }) {
  const { nameOf, isThere } = useKeyNames();
  const keyIsThere = isThere(record.key_id);
  return (
    <Stack>
      {record.error_code && <WhatToDo record={record} keyIsThere={keyIsThere} />}
      {record.in_progress && (
        <Alert color="indigo" title="Video in progress">
          <Text size="sm">This page updates when the task ends.</Text>
        </Alert>
      )}
      {!record.error_code && record.status !== null && record.status >= 400 && (
        <Alert color="orange" title="The client disconnected before the response was complete">
          <Text size="sm">Usage up to that point is charged.</Text>
        </Alert>
      )}
      {!record.in_progress && <TimingBar timings={record.timings} />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <CostFacts record={record} />
        <CallFacts record={record} keyName={nameOf(record.key_id)} keyIsThere={keyIsThere} />
      </SimpleGrid>
    </Stack>
  );
}

function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isUnknown = error instanceof ApiError && error.status === 404;
  if (!isUnknown) return <ErrorState error={error} title="Could not load the request" onRetry={onRetry} />;
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

function Loading() {
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <Skeleton height={230} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Skeleton height={270} />
        <Skeleton height={270} />
      </SimpleGrid>
    </Stack>
  );
}
