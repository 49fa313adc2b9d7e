import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getAccount } from '../../api/admin-accounts';

/** The name of an account of which only the id is known; each account is fetched once. */
export function AccountLink({ id }: { id: string }) {
  const account = useQuery({
    queryKey: ['admin', 'account', id],
    queryFn: () => getAccount(id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Anchor component={Link} to={`/operator/accounts/${id}`} size="sm">
      {account.data?.name ?? id}
    </Anchor>
  );
}
