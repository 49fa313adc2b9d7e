import { Anchor, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../api/api-error';
import type { RequestRecord } from '../api/requests';
import { CostFacts } from './cost-facts';
import { ErrorState } from './error-state';
import { type Fact, Facts } from './facts';
import { HttpStatus } from './http-status';
import { PageHeader } from './page-header';
import { TimingBar } from './timing-bar';

interface RequestLayoutProps<Row> {
  request: UseQueryResult<Row>;
  /** Path of the list that the request belongs to. */
  listPath: string;
  notFound: ReactNode;
  notices?: (record: Row) => ReactNode;
  details: (record: Row) => ReactNode;
}

/** The page of the request in the address: status, timings, cost and details; while it loads or fails, what is known. */
export function RequestLayout<Row extends Omit<RequestRecord, 'key_id'>>({
  request,
  listPath,
  notFound,
  notices,
  details,
}: RequestLayoutProps<Row>) {
  const { id = '' } = useParams();
  const { data, error, refetch } = request;
  return (
    <>
      <Anchor component={Link} to={listPath} size="sm">
        All requests
      </Anchor>
      <PageHeader
        title="Request"
        description={
          <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
        }
        actions={data && <HttpStatus status={data.status} />}
      />
      {data ? (
        <Stack>
          {notices?.(data)}
          {!data.in_progress && <TimingBar timings={data.timings} />}
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <CostFacts record={data} />
            {details(data)}
          </SimpleGrid>
        </Stack>
      ) : error instanceof ApiError && error.status === 404 ? (
        notFound
      ) : error ? (
        <ErrorState error={error} title="Could not load the request" onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </>
  );
}

export function RequestFacts({ facts }: { facts: readonly Fact[] }) {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5" mb="xs">
        Request
      </Title>
      <Facts facts={facts} />
    </Paper>
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
