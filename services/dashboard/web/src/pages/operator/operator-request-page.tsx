import { Anchor, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { type AnyRequestRecord, findRequest } from '../../api/admin-requests';
import { ApiError } from '../../api/api-error';
import { CostFacts } from '../../ui/cost-facts';
import { EmptyState } from '../../ui/empty-state';
import { ErrorState } from '../../ui/error-state';
import { type Fact, Facts } from '../../ui/facts';
import { HttpStatus } from '../../ui/http-status';
import { PageHeader } from '../../ui/page-header';
import { Time } from '../../ui/time';
import { TimingBar } from '../../ui/timing-bar';
import { AccountLink } from './account-link';

/** One request of any account. */
export function OperatorRequestPage() {
  const { id = '' } = useParams();
  const request = useQuery({ queryKey: ['admin', 'requests', 'one', id], queryFn: () => findRequest(id) });
  const isUnknown = request.error instanceof ApiError && request.error.status === 404;
  return (
    <>
      <Anchor component={Link} to="/operator/requests" size="sm">
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
      ) : isUnknown ? (
        <EmptyState title="Request not found">
          Requests without valid credentials are only in the logs of the edge service. Free requests, such as
          model lists and video status, are kept for a week.
        </EmptyState>
      ) : request.error ? (
        <ErrorState error={request.error} onRetry={() => void request.refetch()} />
      ) : (
        <Skeleton height={270} aria-label="Loading" />
      )}
    </>
  );
}

function Content({ record }: { record: AnyRequestRecord }) {
  const { account_id, key_id, user_id, model, provider, endpoint, error_code, streamed, created_at } = record;
  const code = (text: string | null) => text && <code>{text}</code>;
  const facts: Fact[] = [
    ['When', <Time key="when" at={created_at} />],
    ['Account', account_id && <AccountLink key="account" id={account_id} />],
    ['Key', code(key_id)],
    ['User', code(user_id)],
    ['Endpoint', code(endpoint)],
    ['Model', model],
    ['Provider', provider],
    ['Error', code(error_code)],
    ['Streamed', streamed ? 'Yes' : 'No'],
  ];
  return (
    <Stack>
      <TimingBar timings={record.timings} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <CostFacts record={record} />
        <Paper withBorder p="md">
          <Title order={2} size="h5" mb="xs">
            Request
          </Title>
          <Facts facts={facts} />
        </Paper>
      </SimpleGrid>
    </Stack>
  );
}
