import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { type AnyRequestRecord, findRequest } from '../../../api/admin-requests';
import { EmptyState } from '../../../ui/empty-state';
import type { Fact } from '../../../ui/facts';
import { RequestFacts, RequestLayout } from '../../../ui/request-layout';
import { Time } from '../../../ui/time';
import { AccountLink } from '../account-link';

/** One request of any account. */
export function OperatorRequestPage() {
  const { id = '' } = useParams();
  const request = useQuery({ queryKey: ['admin', 'requests', 'one', id], queryFn: () => findRequest(id) });
  return (
    <RequestLayout
      request={request}
      listPath="/operator/requests"
      notFound={
        <EmptyState title="Request not found">
          Requests without valid credentials are only in the logs of the edge service. Free requests, such as
          model lists and video status, are kept for a week.
        </EmptyState>
      }
      details={(record) => <RequestFacts facts={factsOf(record)} />}
    />
  );
}

function factsOf(record: AnyRequestRecord): Fact[] {
  const { account_id, key_id, user_id, model, provider, endpoint, error_code, streamed, created_at } = record;
  const { requested_model } = record;
  const code = (text: string | null) => text && <code>{text}</code>;
  return [
    ['Time', <Time key="time" at={created_at} />],
    ['Account', account_id && <AccountLink key="account" id={account_id} />],
    ['Key', code(key_id)],
    ['User', code(user_id)],
    ['Endpoint', code(endpoint)],
    ['Model', model],
    ['Requested model', requested_model],
    ['Provider', provider],
    ['Error', code(error_code)],
    ['Streamed', streamed ? 'Yes' : 'No'],
  ];
}
